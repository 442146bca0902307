import { Suspense } from 'react'

export const dynamic = 'force-dynamic'

async function Late() {
  await new Promise((resolve) => setTimeout(resolve, 1000))
  return <p>the late part</p>
}

export default () => (
  <main>
    <h1>the early part</h1>
    <Suspense fallback={<p>waiting</p>}>
      <Late />
    </Suspense>
  </main>
)
