// Stands for a program of Next.js: it keeps data with a tag, and revalidates what it is told to.
module.exports = async (req, res) => {
  const { FetchCache } = globalThis[Symbol.for('@next/cache-handlers')]
  const cache = new FetchCache({})
  if (req.method === 'POST') {
    await cache.revalidateTag([new URL(req.url, 'http://x').searchParams.get('tag')])
    return res.end('revalidated')
  }
  let kept = await cache.get('time', { kind: 'FETCH', tags: ['stamps'] })
  if (!kept) {
    kept = { value: { kind: 'FETCH', data: String(process.hrtime.bigint()) } }
    await cache.set('time', kept.value, { tags: ['stamps'] })
  }
  res.setHeader('x-next-cache-tags', 'stamps')
  res.setHeader('content-type', 'text/html')
  res.end(`<time>${kept.value.data}</time>`)
}
