import { cookies } from 'next/headers'

export default ({ params }) => (
  <p>
    Cookie {params.id} {cookies().get('taste')?.value ?? 'none'}
  </p>
)
