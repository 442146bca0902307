import { useLoaderData } from '@remix-run/react'

export const loader = ({ request }: { request: Request }) => ({
  name: new URL(request.url).searchParams.get('name') ?? 'nobody',
})

export default function Home() {
  const { name } = useLoaderData<typeof loader>()
  return <h1>Remix greets {name}</h1>
}
