import { unstable_cache } from 'next/cache'

const stamp = unstable_cache(async () => String(Date.now()), ['stamp'], { tags: ['stamps'] })
export const revalidate = 3600

export default async () => (
  <p>
    Tagged <time>{await stamp()}</time>
  </p>
)
