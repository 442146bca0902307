import { component$ } from '@builder.io/qwik'
import { routeLoader$ } from '@builder.io/qwik-city'

export const useName = routeLoader$(({ query }) => query.get('name') ?? 'nobody')

export default component$(() => {
  const name = useName()
  return <h1>Qwik greets {name.value}</h1>
})
