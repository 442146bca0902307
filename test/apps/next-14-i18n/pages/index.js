export const getStaticProps = ({ locale }) => ({ props: { locale } })
export default ({ locale }) => <h1>{`Home ${locale}`}</h1>
