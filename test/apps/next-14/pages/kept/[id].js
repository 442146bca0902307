export const getStaticPaths = () => ({ paths: ['/kept/1'], fallback: 'blocking' })
export const getStaticProps = ({ params, preview }) => ({
  props: { id: params.id, at: Date.now(), preview: Boolean(preview) },
})

export default ({ id, at, preview }) => (
  <p>
    {`Kept ${id} ${preview ? 'draft' : 'public'}`} <time>{at}</time>
  </p>
)
