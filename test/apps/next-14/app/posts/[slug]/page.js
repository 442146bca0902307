export const revalidate = 3600
export const generateStaticParams = () => [{ slug: 'first' }]

export default async ({ params }) => (
  <p>
    Post {params.slug} <time>{Date.now()}</time>
  </p>
)
