export const getServerSideProps = ({ params, locale }) => ({ props: { id: params.id, locale } })
export default ({ id, locale }) => <p>{`Dynamic ${id} ${locale}`}</p>
