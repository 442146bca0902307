import assert from 'node:assert/strict'
import { test } from 'node:test'
import { start } from '#test/support/sandbox/launched.ts'

const edge = (source: string) => ({ files: { 'index.js': source }, shape: 'edge' as const })

test('a default function gets a request and a context, among the globals of an edge runtime', async (t) => {
  const launched = await start(
    t,
    edge(`export default async (request, context) => {
      context.waitUntil(Promise.resolve())
      return Response.json([request.url, typeof EdgeRuntime, self === globalThis, typeof AsyncLocalStorage, process.env.A])
    }`),
  )
  assert.deepEqual(JSON.parse((await launched.fetch('/x', { headers: { host: 'a.test' } })).body), [
    'https://a.test/x',
    'string',
    true,
    'function',
    null,
  ])
})

test('in CommonJS, by methods, by fetch, and by events', async (t) => {
  const sources = [
    `module.exports.default = (request) => new Response('works')`,
    `export const GET = (request) => new Response('works')`,
    `export default { fetch: (request) => new Response('works') }`,
    `addEventListener('fetch', (event) => event.respondWith(new Response('works')))`,
    `let _ENTRIES = {}; (_ENTRIES = typeof _ENTRIES === 'undefined' ? {} : _ENTRIES).middleware_x = () => new Response('works');
     export default (function () { const module = { exports: {} }; module.exports.default = (name) => _ENTRIES[name]; return module.exports }).call({}).default('middleware_x')`,
  ]
  await Promise.all(
    sources.map(async (source) => {
      const launched = await start(t, edge(source))
      assert.equal((await launched.fetch('/')).body, 'works', source)
    }),
  )
})

/** The smallest module there is. */
const WASM = '\0asm\x01\0\0\0'

test('compiled WebAssembly can be imported and required', async (t) => {
  const launched = await start(t, {
    files: {
      'index.js': `
        import one from './wasm/a.wasm?module'
        const two = require('/wasm/a.wasm')
        const { Buffer } = require('node:buffer')
        export default () => new Response([one, two].map((m) => m instanceof WebAssembly.Module) + typeof Buffer)`,
      'wasm/a.wasm': WASM,
    },
    shape: 'edge',
  })
  assert.equal((await launched.fetch('/')).body, 'true,truefunction')
})
