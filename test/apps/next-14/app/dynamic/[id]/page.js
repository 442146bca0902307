export const dynamic = 'force-dynamic'

export default ({ params, searchParams }) => (
  <p>
    Server {params.id} for {searchParams.who ?? 'nobody'}
  </p>
)
