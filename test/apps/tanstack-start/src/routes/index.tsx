import { createFileRoute } from '@tanstack/react-router'
import { createServerFn } from '@tanstack/react-start'

const greet = createServerFn()
  .validator((name: string) => name)
  .handler(({ data }) => `TanStack greets ${data}`)

export const Route = createFileRoute('/')({
  validateSearch: (search) => ({ name: String(search.name ?? 'nobody') }),
  loaderDeps: ({ search }) => search,
  loader: ({ deps }) => greet({ data: deps.name }),
  component: () => <h1>{Route.useLoaderData()}</h1>,
})
