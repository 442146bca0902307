import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { start } from '#test/support/sandbox/launched.ts'

/** What builds of other tests have fetched; the test of functions fetches it where there is none. */
const [bun] = globSync(join(tmpdir(), 'aloft-test-toolchains/bun-*/bin/bun'))
const skip = bun === undefined && 'Bun was not fetched yet'
const inRequest = (id: string) => ({ headers: { 'x-aloft-request-id': id } })

const run = (t: TestContext, source: string) =>
  start(t, {
    files: { 'index.ts': source },
    ...{ shape: 'command', command: [bun ?? '', join(import.meta.dirname, 'main.mjs'), 'index.ts'] },
    env: { PORT: String(20_000 + (process.pid % 20_000)) },
  })

/** Each answers with the headers that it saw, after it has said something. */
const KINDS = {
  'functions named after methods': `
    export const GET = (request: Request, { waitUntil }) => {
      console.log('said', new URL(request.url).pathname)
      waitUntil(Promise.reject(new Error('behind')))
      return Response.json([...request.headers.keys()])
    }`,
  'Bun.serve with routes': `
    Bun.serve({
      routes: { '/in-a-route': { GET: (request) => answer(request) } },
      fetch: (request, server) => answer(request),
    })
    async function answer(request: Request) {
      await Bun.sleep(1)
      process.stdout.write('said ')
      console.info(new URL(request.url).pathname)
      globalThis[Symbol.for('@vercel/request-context')].get().waitUntil(Promise.reject(new Error('behind')))
      return Response.json([...request.headers.keys()])
    }`,
  'a function (req, res)': `
    export default (req, res) => {
      console.log('said %s', req.url)
      globalThis[Symbol.for('@vercel/request-context')].get().waitUntil(Promise.reject(new Error('behind')))
      res.json(Object.keys(req.headers))
    }`,
}

for (const [name, source] of Object.entries(KINDS))
  test(`lines of a request on Bun carry its id, and so do failures after it: ${name}`, {
    skip,
  }, async (t) => {
    const launched = await run(t, source)
    for (const [id, path] of [
      ['r1', '/one'],
      ['r2', '/in-a-route'],
    ] as const) {
      const { status, body } = await launched.fetch(path, inRequest(id))
      assert.equal(status, 200, body)
      assert.ok(!body.includes('x-aloft'), body)
      await launched.heard(({ text, requestId }) => text === `said ${path}` && requestId === id)
      await launched.heard(({ text, requestId, stream }) => {
        return /Error: behind|behind/.test(String(text)) && requestId === id && stream === 'stderr'
      })
    }
  })

test('what goes on after an answer on Bun is told of, and waited for before it stops', {
  skip,
}, async (t) => {
  const launched = await run(
    t,
    `let go
    export function GET(request, { waitUntil }) {
      if (request.url.endsWith('/go')) setTimeout(go, 100)
      else waitUntil(new Promise((resolve) => { go = resolve }).then(() => console.log('after')))
      return new Response('early')
    }`,
  )
  assert.equal((await launched.fetch('/', inRequest('r1'))).body, 'early')
  await launched.heard(({ type, pending }) => type === 'background' && pending === 1)
  await launched.fetch('/go')
  launched.say({ type: 'stop', graceMs: 60_000 })
  assert.equal(await launched.exit, 0)
  const told = launched.messages.map(({ type, text, pending, requestId }) => [
    type,
    text ?? pending,
    requestId,
  ])
  assert.deepEqual(told.slice(-2), [
    ['log', 'after', 'r1'],
    ['background', 0, undefined],
  ])
})

test('a program on Bun that listens for the end decides for itself', { skip }, async (t) => {
  const launched = await run(
    t,
    `process.on('SIGTERM', () => { console.log('tidied up'); process.exit(0) })
    export const GET = () => new Response('x')`,
  )
  assert.equal((await launched.fetch('/')).body, 'x')
  launched.say({ type: 'stop', graceMs: 60_000 })
  assert.equal(await launched.exit, 0)
  assert.equal(await launched.stdout, 'tidied up\n')
})
