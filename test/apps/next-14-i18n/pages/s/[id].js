export const getStaticPaths = () => ({ paths: [{ params: { id: '1' }, locale: 'de' }], fallback: 'blocking' })
export const getStaticProps = ({ params, locale }) => ({ props: { id: params.id, locale }, revalidate: 60 })
export default ({ id, locale }) => <p>{`Static ${id} ${locale}`}</p>
