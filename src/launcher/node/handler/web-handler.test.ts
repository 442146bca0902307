import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { start } from '#test/support/sandbox/launched.ts'

const asModule = (source: string) => ({ files: { 'api/web.mjs': source } })

test('functions named after methods answer them, HEAD by GET, others not', async (t) => {
  const launched = await start(
    t,
    asModule(`
      export const GET = (request) => Response.json({ url: request.url, header: request.headers.get('x-a') })
      export async function POST(request) { return new Response(await request.text(), { status: 201 }) }`),
  )
  const headers = { 'x-forwarded-host': 'shop.test', 'x-forwarded-proto': 'https', 'x-a': '1' }
  const got = await launched.fetch('//a/b?q=1', { headers })
  assert.deepEqual(JSON.parse(got.body), { url: 'https://shop.test//a/b?q=1', header: '1' })
  assert.equal(got.headers['content-length'], String(got.body.length))
  const head = await launched.fetch('/', { method: 'HEAD', headers })
  assert.deepEqual([head.status, head.body, head.headers['content-type']], [200, '', 'application/json'])
  const posted = await launched.fetch('/', { method: 'POST', body: 'x'.repeat(300_000) })
  assert.deepEqual([posted.status, posted.body.length], [201, 300_000])
  const put = await launched.fetch('/', { method: 'PUT', body: 'x' })
  assert.deepEqual([put.status, put.headers.allow], [405, 'GET, POST'])
})

test('an object with fetch, and fetch itself', async (t) => {
  const object = await start(
    t,
    asModule(`export default { n: 3, fetch(request) { return new Response(this.n) } }`),
  )
  assert.equal((await object.fetch('/')).body, '3')
  const named = await start(t, {
    files: { 'index.js': `export function fetch() { return new Response('named') }` },
  })
  assert.equal((await named.fetch('/')).body, 'named')
})

test('cookies, statuses and empty bodies survive', async (t) => {
  const launched = await start(
    t,
    asModule(`export function GET(request) {
      const { pathname } = new URL(request.url)
      if (pathname === '/none') return new Response(null, { status: 204 })
      if (pathname === '/kept') return new Response(null, { status: 304, headers: { etag: '"x"' } })
      const response = new Response('ok', { status: 418, statusText: 'Short', headers: { 'x-one': 'a, b' } })
      response.headers.append('set-cookie', 'a=1; Expires=Thu, 01 Jan 2032 00:00:00 GMT')
      response.headers.append('set-cookie', 'b=2')
      return response
    }`),
  )
  const answer = await launched.fetch('/')
  assert.equal(answer.status, 418)
  assert.deepEqual(answer.headers['set-cookie'], ['a=1; Expires=Thu, 01 Jan 2032 00:00:00 GMT', 'b=2'])
  assert.equal(answer.headers['x-one'], 'a, b')
  assert.equal((await launched.fetch('/none')).status, 204)
  assert.equal((await launched.fetch('/kept')).status, 304)
})

test('bodies stream both ways', async (t) => {
  const launched = await start(t, asModule(`export const POST = (request) => new Response(request.body)`))
  const req = launched.open('/', { method: 'POST' })
  req.write('one')
  const [res] = await once(req, 'response')
  assert.equal(String((await once(res, 'data'))[0]), 'one')
  req.write('two')
  assert.equal(String((await once(res, 'data'))[0]), 'two')
  req.end()
  await once(res, 'end')
})

test('a response is made no faster than it is read, and cancelled when the client leaves', async (t) => {
  const launched = await start(
    t,
    asModule(`
      let made = 0, cancelled = false
      export function GET(request) {
        if (request.url.endsWith('/state')) return Response.json({ made, cancelled })
        return new Response(new ReadableStream({
          pull(controller) { made += 1; controller.enqueue(new Uint8Array(65536)) },
          cancel() { cancelled = true; console.log('cancelled') },
        }))
      }`),
  )
  const state = async () => JSON.parse((await launched.fetch('/state')).body)
  const req = launched.open('/', { headers: { 'x-aloft-request-id': 'r1' } })
  req.end()
  const [res] = await once(req, 'response')
  await once(res, 'data')
  res.pause()
  // Whatever fits into the buffers between us gets made; then it stops for good.
  let before = -1
  for (let { made } = await state(); made !== before; { made } = await state()) before = made
  assert.ok(before < 200, `${before} chunks were made for nobody`)
  req.destroy()
  await launched.heard(({ text }) => text === 'cancelled')
  assert.equal((await state()).cancelled, true)
})

test('the signal of a request is aborted when its client leaves', async (t) => {
  const launched = await start(
    t,
    asModule(`export const GET = (request) => new Promise((resolve) => {
      console.log('called')
      request.signal.addEventListener('abort', () => { console.log('aborted'); resolve(new Response('')) })
    })`),
  )
  const req = launched.open('/', { headers: { 'x-aloft-request-id': 'r1' } })
  req.on('error', () => {})
  req.end()
  await launched.heard(({ text }) => text === 'called')
  req.destroy()
  const { requestId } = await launched.heard(({ text }) => text === 'aborted')
  assert.equal(requestId, 'r1')
})

test('what is no response, or fails midway, is an error', async (t) => {
  const launched = await start(
    t,
    asModule(`
      export const GET = () => 'text'
      export const POST = () => { throw new Error('thrown') }
      export const PUT = () => new Response(new ReadableStream({
        async pull(controller) {
          controller.enqueue(new TextEncoder().encode('half'))
          for (let i = 0; i < 9; i += 1) await new Promise(setImmediate)
          controller.error(new Error('broken'))
        },
      }))`),
  )
  assert.equal((await launched.fetch('/', { headers: { 'x-aloft-request-id': 'r1' } })).status, 500)
  await launched.heard(({ text }) => String(text).includes('did not return a Response'))
  assert.equal((await launched.fetch('/', { method: 'POST' })).status, 500)
  await assert.rejects(launched.fetch('/', { method: 'PUT' }))
})

test('of the shape web, a default function takes a Request; what says by itself what it is stays that', async (t) => {
  const sources = [
    `export default (request, { waitUntil }) => new Response(request.headers.get('x-a') + typeof waitUntil)`,
    `module.exports = (request) => new Response(request.headers.get('x-a') + 'function')`,
    `module.exports.default = async (request) => new Response(request.headers.get('x-a') + 'function')`,
    `export const GET = (request) => new Response(request.headers.get('x-a') + 'function')`,
    `export default { fetch: (request) => new Response(request.headers.get('x-a') + 'function') }`,
  ]
  await Promise.all(
    sources.map(async (source) => {
      const launched = await start(t, { files: { 'index.js': source }, shape: 'web' })
      const { body } = await launched.fetch('/', { headers: { 'x-a': 'a ' } })
      assert.equal(body, 'afunction', source)
    }),
  )
})
