export const loader = ({ request }: { request: Request }) => ({
  name: new URL(request.url).searchParams.get('name') ?? 'nobody',
})

export default function Home({ loaderData }: { loaderData: { name: string } }) {
  return <h1>React Router greets {loaderData.name}</h1>
}
