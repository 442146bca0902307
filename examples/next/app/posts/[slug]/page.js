export const dynamic = 'force-dynamic'
export default async ({ params, searchParams }) => (
  <p>
    Post {(await params).slug} for {(await searchParams).who ?? 'all'}
  </p>
)
