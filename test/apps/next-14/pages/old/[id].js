export const getServerSideProps = ({ params, query, req }) => ({
  props: { id: params.id, q: query.q ?? 'none', agent: req.headers['x-asked'] ?? 'none' },
})

export default ({ id, q, agent }) => <p>{`Old ${id} ${q} ${agent}`}</p>
