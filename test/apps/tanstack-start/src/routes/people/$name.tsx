import { createFileRoute } from '@tanstack/react-router'

export const Route = createFileRoute('/people/$name')({
  loader: ({ params }) => params.name.toUpperCase(),
  component: () => <p>Person {Route.useLoaderData()}</p>,
})
