import { cacheLife, cacheTag, updateTag } from 'next/cache'
import { Suspense } from 'react'

let count = 0

async function bump() {
  'use server'
  count++
  updateTag('count')
}

async function Count() {
  'use cache'
  cacheTag('count')
  cacheLife('hours')
  return <p>bumped {count > 0 ? 'already' : 'never'}</p>
}

export default () => (
  <form action={bump}>
    <Suspense>
      <Count />
    </Suspense>
    <button type="submit">Bump</button>
  </form>
)
