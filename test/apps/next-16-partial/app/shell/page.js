import { cacheLife, cacheTag } from 'next/cache'
import { headers } from 'next/headers'
import { Suspense } from 'react'

async function Stamp() {
  'use cache'
  cacheTag('stamps')
  cacheLife('hours')
  return <time>{Date.now()}</time>
}

async function Visitor() {
  const asked = (await headers()).get('x-asked')
  return <p>for {asked ?? 'anybody'}</p>
}

export default () => (
  <main>
    <h1>the shell</h1>
    <Stamp />
    <Suspense fallback={<p>waiting</p>}>
      <Visitor />
    </Suspense>
  </main>
)
