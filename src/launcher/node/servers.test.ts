import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { launch, start } from '#test/support/sandbox/launched.ts'

/** Each answers with `works` and the path. */
const SHAPES: Readonly<Record<string, string>> = {
  'a server': `module.exports = require('http').createServer((req, res) => res.end('works ' + req.url))`,
  'a server that listens': `
    const server = require('http').createServer((req, res) => res.end('works ' + req.url))
    server.listen(process.env.PORT || 8080, () => {
      if (!server.listening || server.address().port !== 8080) throw new Error('not listening')
    })`,
  'a server that listens later': `
    const server = require('http').createServer((req, res) => res.end('works ' + req.url))
    setTimeout(() => server.listen({ port: 3000, host: '0.0.0.0' }), 20)`,
  'a server that listens in an ES module that waits for it': `
    import { createServer } from 'http'
    const server = createServer((req, res) => res.end('works ' + req.url))
    await new Promise((resolve) => server.listen(0, resolve))
    if (server.address().port !== 3000) throw new Error('no port')
    await new Promise(() => {})`,
  'only when it is the main module': `
    const server = require('http').createServer((req, res) => res.end('works ' + req.url))
    if (require.main === module) server.listen(1)`,
  'two servers, the first of which answers': `
    const http = require('http')
    http.createServer((req, res) => res.end('works ' + req.url)).listen(80)
    http.createServer((req, res) => res.end('second')).listen(0, '127.0.0.1')`,
  'like Koa': `module.exports = { callback: () => (req, res) => res.end('works ' + req.url) }`,
  'like Fastify': `
    let isReady = false
    module.exports = {
      ready: async () => { isReady = true },
      routing: (req, res) => res.end((isReady ? 'works ' : 'early ') + req.url),
    }`,
  'like Express': `
    const app = (req, res) => app.handle(req, res)
    app.handle = (req, res) => res.end('works ' + req.url)
    app.use = () => app
    module.exports.default = { default: app }`,
  'like Nest': `
    let server
    module.exports = (async () => ({
      init: async () => { server = require('http').createServer((req, res) => res.end('works ' + req.url)) },
      getHttpServer: () => server,
    }))()`,
  'a function of events': `exports.handler = async (event) => ({ statusCode: 200, body: 'works ' + event.path })`,
}

for (const [name, source] of Object.entries(SHAPES))
  test(`answers: ${name}`, async (t) => {
    const launched = await start(t, { files: { 'index.js': source } })
    assert.equal((await launched.fetch('/some/path')).body, 'works /some/path')
  })

/** The one framework that is at hand. */
const FASTIFY = `const app = require(process.env.FASTIFY)({ logger: true })
  app.get('/*', async ({ url }) => 'works ' + url)
  app.post('/', async ({ body }) => body)`

for (const [name, end] of [
  ['an application', 'module.exports = app'],
  ['an application that listens', `app.listen({ port: 3000 }).then((address) => console.log(address))`],
  [
    'a function',
    `module.exports = async (req, res) => { await app.ready(); app.server.emit('request', req, res) }`,
  ],
] as const)
  test(`Fastify answers as ${name}`, async (t) => {
    const env = { FASTIFY: fileURLToPath(import.meta.resolve('fastify')) }
    const launched = await start(t, { files: { 'index.js': `${FASTIFY}\n${end}` }, env })
    assert.equal((await launched.fetch('/path')).body, 'works /path')
    const body = JSON.stringify({ text: 'x'.repeat(200_000) })
    const headers = { 'content-type': 'application/json' }
    assert.equal((await launched.fetch('/', { method: 'POST', headers, body })).body, body)
  })

test('what upgrades a connection is told by the server that listens', async (t) => {
  const launched = await start(t, {
    files: {
      'index.js': `
        const server = require('http').createServer((req, res) => res.end('plain'))
        server.listen(3000)
        server.on('upgrade', (req, socket, head) => {
          console.log('upgraded', req.url, req.headers['x-aloft-request-id'])
          socket.write('HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: echo\\r\\nConnection: Upgrade\\r\\n\\r\\n')
          socket.pipe(socket)
        })`,
    },
  })
  const req = launched.open('/ws', {
    headers: { connection: 'Upgrade', upgrade: 'echo', 'x-aloft-request-id': 'r1' },
  })
  req.end()
  const [, socket] = await once(req, 'upgrade')
  socket.write('ping')
  assert.equal(String((await once(socket, 'data'))[0]), 'ping')
  const line = await launched.heard(({ requestId }) => requestId === 'r1')
  assert.equal(line.text, 'upgraded /ws undefined')
  assert.equal((await launched.fetch('/')).body, 'plain')
  socket.destroy()
})

test('a program that never ends its side of an upgraded connection ends with its visitors', async (t) => {
  const source = `
    const server = require('http').createServer((req, res) => res.end('plain')).listen(3000)
    server.on('upgrade', (req, socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: echo\\r\\nConnection: Upgrade\\r\\n\\r\\n')
      socket.on('data', (data) => socket.write(data))
    })`
  for (const leaves of ['before', 'after']) {
    const launched = await start(t, { files: { 'index.js': source } })
    const req = launched.open('/ws', {
      headers: { connection: 'Upgrade', upgrade: 'echo', 'x-aloft-request-id': 'r1' },
    })
    req.end()
    const [, socket] = await once(req, 'upgrade')
    if (leaves === 'before') socket.destroy()
    launched.say({ type: 'stop', graceMs: 60_000 })
    if (leaves === 'after') setTimeout(() => socket.destroy(), 100)
    assert.equal(await launched.exit, 0, leaves)
  }
})

test('an upgrade that nobody takes is an ordinary request', async (t) => {
  const launched = await start(t, {
    files: { 'index.js': `module.exports = (req, res) => res.end('plain')` },
  })
  const answer = await launched.fetch('/', { headers: { connection: 'Upgrade', upgrade: 'x' } })
  assert.equal(answer.body, 'plain')
})

test('servers of a running program listen where they are told to', async (t) => {
  const launched = await start(t, {
    files: {
      'index.js': `
        const http = require('http')
        module.exports = (req, res) => {
          const inner = http.createServer((_, answer) => answer.end('inner')).listen(0, '127.0.0.1', () => {
            const { port } = inner.address()
            http.get({ host: '127.0.0.1', port }, (got) => got.pipe(res).on('finish', () => inner.close()))
          })
        }`,
    },
  })
  assert.equal((await launched.fetch('/')).body, 'inner')
})

test('the body of an event reaches a function of events, and its headers the client', async (t) => {
  const launched = await start(t, {
    files: {
      'index.js': `exports.handler = (event, context, callback) => callback(null, {
        statusCode: 201,
        headers: { 'x-method': event.httpMethod },
        multiValueHeaders: { 'set-cookie': ['a=1', 'b=2'] },
        body: Buffer.from(event.body + event.queryStringParameters.q).toString('base64'),
        isBase64Encoded: true,
      })`,
    },
  })
  const answer = await launched.fetch('/?q=1', { method: 'POST', body: 'text' })
  assert.deepEqual(
    [answer.status, answer.headers['x-method'], answer.headers['set-cookie'], answer.body],
    [201, 'POST', ['a=1', 'b=2'], 'text1'],
  )
})

test('a program that cannot answer fails at once, and says why', async (t) => {
  const failures: Readonly<Record<string, RegExp>> = {
    'exports.nothing = 1': /index\.js exports nothing that handles requests/,
    'await new Promise(() => {}); export {}': /index\.js exports nothing that handles requests/,
    'throw new TypeError("at load")': /TypeError: at load/,
    'setTimeout(() => { throw new Error("soon after") })': /Error: soon after/,
    'Promise.reject(new Error("unhandled"))': /Error: unhandled/,
    'syntax error': /SyntaxError/,
    'require("missing-package")': /Cannot find module 'missing-package'/,
  }
  await Promise.all(
    Object.entries(failures).map(async ([source, reason]) => {
      const launched = await launch(t, { files: { 'index.js': source } })
      const { message, stack } = await launched.heardOf('failed')
      assert.match(String(message), reason, source)
      assert.equal(typeof stack, 'string')
      assert.equal(await launched.exit, 1)
    }),
  )
})

test('a program sees the address of the visitor, of each one on a connection that is kept', async (t) => {
  const launched = await start(t, {
    files: {
      'index.js': `require('http').createServer((req, res) => {
        const { remoteAddress, remoteFamily } = req.socket
        res.end(JSON.stringify([remoteAddress, remoteFamily, req.connection.remoteAddress]))
      }).listen(3000)`,
    },
  })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.after(() => agent.destroy())
  const seen = async (address: string) => {
    const req = request({
      ...{ socketPath: launched.http, agent },
      headers: { 'x-real-ip': address, 'x-forwarded-for': address },
    }).end()
    const [res] = await once(req, 'response')
    return JSON.parse(await text(res))
  }
  assert.deepEqual(await seen('203.0.113.7'), ['203.0.113.7', 'IPv4', '203.0.113.7'])
  assert.deepEqual(await seen('2001:db8::1'), ['2001:db8::1', 'IPv6', '2001:db8::1'])
})
