import { headers } from 'next/headers'

export default async ({ params }) => (
  <p>
    Person {(await params).name} {(await headers()).get('x-from-proxy') ?? 'direct'}
  </p>
)
