import { useSearchParams } from '@solidjs/router'

export default function Home() {
  const [query] = useSearchParams()
  return <h1>Solid greets {query.name ?? 'nobody'}</h1>
}
