import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { start } from '#test/support/sandbox/launched.ts'

const inCommonJs = (body: string) => ({ files: { 'api/hello.js': `module.exports = ${body}` } })

test('a function finds what a request says and answers with the helpers', async (t) => {
  const launched = await start(
    t,
    inCommonJs(`(req, res) => {
      const { query, cookies, body, method } = req
      res.status(201).json({ query, cookies, body, method, url: req.url, headers: [Object.keys(req.headers), Object.keys(req.headersDistinct), req.rawHeaders].join() })
    }`),
  )
  const { status, headers, body } = await launched.fetch('/api/hello?a=1&b=2&b=3', {
    method: 'POST',
    headers: {
      'content-type': 'application/json; charset=utf-8',
      cookie: 'one=1; two="%20x"; one=again',
      'x-aloft-request-id': 'r1',
    },
    body: '{"deep":[1]}',
  })
  assert.equal(status, 201)
  assert.equal(headers['content-type'], 'application/json; charset=utf-8')
  assert.match(headers.etag as string, /^W\/"/)
  const seen = JSON.parse(body)
  assert.ok(!seen.headers.includes('x-aloft-request-id') && seen.headers.includes('cookie'))
  assert.deepEqual(
    { ...seen, headers: undefined },
    {
      query: { a: '1', b: ['2', '3'] },
      cookies: { one: '1', two: ' x' },
      body: { deep: [1] },
      method: 'POST',
      url: '/api/hello?a=1&b=2&b=3',
      headers: undefined,
    },
  )
})

test('the body is parsed as its type says', async (t) => {
  const launched = await start(
    t,
    inCommonJs(`(req, res) => {
      const { body } = req
      res.json({ body: Buffer.isBuffer(body) ? ['buffer', body.toString()] : body, type: typeof body })
    }`),
  )
  const bodyOf = async (type: string | undefined, body: string) => {
    const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type }
    const answer = await launched.fetch('/', { method: 'POST', headers, body })
    return answer.status === 200 ? JSON.parse(answer.body) : answer
  }
  assert.deepEqual((await bodyOf('application/x-www-form-urlencoded', 'a=1&a=2')).body, { a: ['1', '2'] })
  assert.deepEqual((await bodyOf('text/plain', 'words')).body, 'words')
  assert.deepEqual((await bodyOf('application/octet-stream', 'bytes')).body, ['buffer', 'bytes'])
  assert.deepEqual((await bodyOf('application/json', '')).body, {})
  assert.deepEqual((await bodyOf('image/png', 'x')).type, 'undefined')
  assert.deepEqual((await bodyOf(undefined, 'x')).type, 'undefined')
  const refused = await bodyOf('application/json', '{')
  assert.equal(refused.status, 400)
  assert.equal(refused.body, 'Invalid JSON')
})

test('a request can be read as a stream, whatever its type', async (t) => {
  const launched = await start(
    t,
    inCommonJs(`async (req, res) => {
      const hash = require('crypto').createHash('sha1')
      if (req.url === '/events') {
        req.on('data', (chunk) => hash.update(chunk)).on('end', () => res.send(hash.digest('hex')))
      } else if (req.url === '/pipe') {
        req.pipe(hash).on('finish', () => res.send(hash.digest('hex')))
      } else {
        for await (const chunk of req) hash.update(chunk)
        res.send(hash.digest('hex'))
      }
    }`),
  )
  const { createHash } = await import('node:crypto')
  for (const size of [10, 200_000, 9_000_000]) {
    const body = Buffer.alloc(size, 'abcdefg')
    const digest = createHash('sha1').update(body).digest('hex')
    for (const path of ['/events', '/pipe', '/iterate'])
      for (const type of ['application/json', 'multipart/form-data; boundary=x']) {
        const answer = await launched.fetch(path, { method: 'POST', headers: { 'content-type': type }, body })
        assert.equal(answer.body, digest, `${path} ${type} ${size}`)
      }
  }
})

test('responses: send, redirect, no content, HEAD', async (t) => {
  const launched = await start(
    t,
    inCommonJs(`(req, res) => {
      if (req.url === '/redirect') res.redirect('/there')
      else if (req.url === '/moved') res.redirect(301, '/there')
      else if (req.url === '/bytes') res.send(Buffer.from([1, 2]))
      else if (req.url === '/none') res.status(204).send('ignored')
      else res.send('é')
    }`),
  )
  const redirected = await launched.fetch('/redirect')
  assert.deepEqual([redirected.status, redirected.headers.location], [307, '/there'])
  assert.equal((await launched.fetch('/moved')).status, 301)
  assert.equal((await launched.fetch('/bytes')).headers['content-type'], 'application/octet-stream')
  const none = await launched.fetch('/none')
  assert.deepEqual([none.status, none.body, none.headers['content-length']], [204, '', undefined])
  const html = await launched.fetch('/')
  assert.deepEqual(
    [html.headers['content-type'], html.headers['content-length']],
    ['text/html; charset=utf-8', '2'],
  )
  const head = await launched.fetch('/', { method: 'HEAD' })
  assert.deepEqual([head.body, head.headers['content-length']], ['', '2'])
})

test('a function that fails is answered for, its error logged with the id of the request', async (t) => {
  const launched = await start(
    t,
    inCommonJs(`(req, res) => {
      if (req.url === '/throws') throw new Error('thrown')
      if (req.url === '/rejects') return Promise.reject(new Error('rejected'))
      if (req.url === '/late') { res.write('half'); return Promise.reject(new Error('late')) }
      res.end('fine')
    }`),
  )
  for (const [path, reason] of [
    ['/throws', 'Error: thrown'],
    ['/rejects', 'Error: rejected'],
  ] as const) {
    const answer = await launched.fetch(path, { headers: { 'x-aloft-request-id': path } })
    assert.equal(answer.status, 500)
    assert.ok(!answer.body.includes('Error:'))
    const line = await launched.heard(({ type, requestId }) => type === 'log' && requestId === path)
    assert.deepEqual([line.stream, line.text], ['stderr', reason])
  }
  await assert.rejects(launched.fetch('/late'))
  assert.equal((await launched.fetch('/')).body, 'fine')
})

test('a function may return a web response', async (t) => {
  const launched = await start(
    t,
    inCommonJs(`() => new Response('made', { status: 202, headers: { a: 'b' } })`),
  )
  const answer = await launched.fetch('/')
  assert.deepEqual([answer.status, answer.body, answer.headers.a], [202, 'made', 'b'])
})

test('an answer is streamed as it is written', async (t) => {
  const launched = await start(
    t,
    inCommonJs(`async (req, res) => {
      res.write('first')
      for await (const chunk of req) res.write(chunk)
      res.end()
    }`),
  )
  const req = launched.open('/', { method: 'POST', headers: { 'content-type': 'x/y' } })
  req.flushHeaders()
  const [res] = await once(req, 'response')
  assert.equal(String((await once(res, 'data'))[0]), 'first')
  req.write('second')
  assert.equal(String((await once(res, 'data'))[0]), 'second')
  req.end()
  await once(res, 'end')
})

test('helpers are left out where the program says so, and for applications of frameworks', async (t) => {
  const source = `(req, res) => res.end([typeof res.json, typeof req.query].join())`
  const plain = await start(t, { ...inCommonJs(source), env: { NODEJS_HELPERS: '0' } })
  assert.equal((await plain.fetch('/')).body, 'undefined,undefined')
  const app = await start(t, inCommonJs(`Object.assign(${source}, { use() {}, handle() {} })`))
  assert.equal((await app.fetch('/')).body, 'undefined,undefined')
})
