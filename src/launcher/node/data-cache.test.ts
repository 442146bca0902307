import assert from 'node:assert/strict'
import { test } from 'node:test'
import { start } from '#test/support/sandbox/launched.ts'

/** A program by whose entry the launcher knows Next.js; what it exports answers with what `act` returns. */
const next = (act: string) => ({
  files: {
    '___next_launcher.cjs': `module.exports = async (req, res) => {
      const query = new URL(req.url, 'http://x').searchParams
      res.end(JSON.stringify((await (${act})(query)) ?? null))
    }`,
  },
  entry: '___next_launcher.cjs',
})

/** As releases from 15.2 on use it. */
const HANDLER = `async (query) => {
  const { FetchCache } = globalThis[Symbol.for('@next/cache-handlers')]
  const cache = new FetchCache({})
  if (query.has('set')) return cache.set('k', { kind: 'FETCH', data: { body: query.get('set') }, tags: ['own'] }, { tags: ['a'] })
  if (query.has('revalidate')) return cache.revalidateTag(query.getAll('revalidate'), query.has('expire') ? { expire: Number(query.get('expire')) } : undefined)
  const found = await cache.get('k', { kind: query.get('kind') ?? 'FETCH', tags: ['a'], softTags: ['_N_T_/page'] })
  return found && found.value.data.body
}`

/** As earlier ones do, by asking a server. */
const SERVER = `async (query) => {
  const cache = 'https://' + process.env.SUSPENSE_CACHE_URL + '/v1/suspense-cache/'
  if (query.has('set')) {
    const body = JSON.stringify({ kind: 'FETCH', data: { body: query.get('set') } })
    return (await fetch(cache + 'k', { method: 'POST', body, headers: { 'x-vercel-cache-tags': 'own,a' } })).status
  }
  if (query.has('revalidate')) {
    const tags = query.getAll('revalidate').map(encodeURIComponent).join(',')
    return (await fetch(cache + 'revalidate?tags=' + tags, { method: 'POST' })).status
  }
  const found = await fetch(cache + 'k', { headers: { 'x-vercel-cache-tags': 'a', 'x-next-cache-soft-tags': '_N_T_/page' } })
  return found.ok ? (await found.json()).data.body : found.status === 404 ? null : found.status
}`

for (const [name, act] of Object.entries({ HANDLER, SERVER }))
  test(`data is kept until one of its tags is revalidated, here or elsewhere (${name})`, async (t) => {
    const launched = await start(t, next(act))
    const get = async () => JSON.parse((await launched.fetch('/')).body)
    const set = async (value: string) => {
      await launched.fetch(`/?set=${value}`)
      // Within a millisecond nobody can tell what came first, and then it is not kept.
      while ((await get()) === null) await launched.fetch(`/?set=${value}`)
    }
    assert.equal(await get(), null)
    await set('one')
    assert.equal(await get(), 'one')
    const revalidated = await launched.fetch('/?revalidate=other')
    assert.equal(revalidated.headers['x-aloft-revalidate'], 'tag=other')
    assert.equal(await get(), 'one')
    for (const tag of ['a', 'own', '_N_T_/page']) {
      await set(tag)
      const { headers } = await launched.fetch(`/?revalidate=${encodeURIComponent(tag)}`)
      assert.equal(headers['x-aloft-revalidate'], `tag=${encodeURIComponent(tag)}`)
      assert.equal(await get(), null, tag)
    }
    await set('two')
    await launched.fetch('/', { headers: { 'x-aloft-revalidated': `own=${Date.now() + 1}` } })
    assert.equal(await get(), null)
  })

test('the time to expire is told, and so are several revalidations of one request', async (t) => {
  const launched = await start(
    t,
    next(`async () => {
      const { FetchCache } = globalThis[Symbol.for('@next/cache-handlers')]
      const cache = new FetchCache({})
      await cache.revalidateTag(['a,b', 'ü'], { expire: 60 })
      await cache.revalidateTag('c')
      return cache.get('k', { kind: 'APP_PAGE' })
    }`),
  )
  const { headers, body } = await launched.fetch('/')
  assert.equal(headers['x-aloft-revalidate'], 'expire=60&tag=a%2Cb&tag=%C3%BC,tag=c')
  assert.equal(body, 'null')
})

test('what is revalidated after the head of the answer is told to the runner', async (t) => {
  const launched = await start(t, {
    files: {
      '___next_launcher.cjs': `module.exports = async (req, res) => {
        res.end('out')
        const { FetchCache } = globalThis[Symbol.for('@next/cache-handlers')]
        await new FetchCache({}).revalidateTag(['late'], { expire: 5 })
      }`,
    },
    entry: '___next_launcher.cjs',
  })
  await launched.fetch('/')
  const { said } = await launched.heard(({ type }) => type === 'revalidate')
  assert.equal(said, 'expire=5&tag=late')
})

test('other programs see nothing of it, nor of what the edge says', async (t) => {
  const launched = await start(t, {
    files: {
      'index.js': `module.exports = (req, res) => res.end(JSON.stringify([
        process.env.SUSPENSE_CACHE_URL, typeof globalThis[Symbol.for('@next/cache-handlers')], req.headers['x-aloft-revalidated'],
        req.rawHeaders.filter((name) => /aloft/i.test(name)),
      ]))`,
    },
  })
  const { body } = await launched.fetch('/', { headers: { 'x-aloft-revalidated': 'a=1' } })
  assert.deepEqual(JSON.parse(body), [null, 'undefined', null, []])
})

test('what was revalidated last is not forgotten for what was long before, however many tags there are', async (t) => {
  const launched = await start(t, next(HANDLER))
  const get = async () => JSON.parse((await launched.fetch('/')).body)
  await launched.fetch('/?set=one')
  const now = Date.now() + 1000
  const older = Array.from({ length: 1000 }, (_, n) => `t${n}=${n + 1}`)
  for (const some of [[`a=${now}`], older.slice(0, 500), older.slice(500)])
    await launched.fetch('/', { headers: { 'x-aloft-revalidated': some.join('&') } })
  assert.equal(await get(), null)
  await launched.fetch('/?set=two')
  assert.equal(await get(), null, 'it was kept before that time')
})
