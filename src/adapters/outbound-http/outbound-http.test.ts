import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { OutboundFailure } from '#core/ports/outbound.ts'
import { createOutbound } from './outbound-http.ts'

const servers: Server[] = []
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const open = createOutbound({ allows: () => true })
const guarded = createOutbound()
after(() => {
  open.close()
  guarded.close()
  for (const server of servers) {
    server.closeAllConnections()
    server.close()
  }
})

const request = { headers: { 'content-type': 'application/json' }, body: '{"ä":1}', timeoutMs: 5000 }
const failsFor = (reason: OutboundFailure['reason']) => (error: unknown) =>
  error instanceof OutboundFailure && error.reason === reason

test('sends the body and gives back the answer', async () => {
  const url = await serve(async (req, res) => {
    const parts: Buffer[] = []
    for await (const part of req) parts.push(part)
    const body = Buffer.concat(parts).toString()
    res.writeHead(202, { 'x-length': req.headers['content-length'] }).end(`${req.method} ${req.url} ${body}`)
  })
  const answer = await open.post({ ...request, url: `${url}/hook?a=1` })
  assert.deepEqual(
    { status: answer.status, text: answer.text, length: answer.headers['x-length'] },
    { status: 202, text: 'POST /hook?a=1 {"ä":1}', length: '8' },
  )
})

test('whoever is kept waiting by a host keeps nobody else from it', async () => {
  let waiting = 0
  const url = await serve((req, res) => {
    if (req.url === '/waits') waiting++
    else res.end()
  })
  const stop = new AbortController()
  const kept = Array.from({ length: 40 }, () =>
    open.post({ ...request, url: `${url}/waits`, signal: stop.signal }),
  )
  assert.equal((await open.post({ ...request, url: `${url}/` })).status, 200)
  stop.abort()
  assert.ok((await Promise.allSettled(kept)).every(({ status }) => status === 'rejected'))
  assert.ok(waiting > 0)
})

test('reads only the beginning of an endless answer', async () => {
  const url = await serve((_req, res) => {
    const more = () => {
      while (res.write(Buffer.alloc(4096, 'x'))) if (res.destroyed) return
    }
    res.on('drain', more)
    more()
  })
  assert.equal((await open.post({ ...request, url })).text.length, 8192)
})

test('follows no redirect', async () => {
  const url = await serve((_req, res) => res.writeHead(307, { location: 'http://127.0.0.1:1/' }).end())
  assert.equal((await open.post({ ...request, url })).status, 307)
})

for (const host of ['127.0.0.1', '10.1.2.3', '[::1]', '[::ffff:127.0.0.1]', '169.254.169.254', 'localhost'])
  test(`does not speak with ${host}`, () =>
    assert.rejects(guarded.post({ ...request, url: `http://${host}/` }), failsFor('private-address')))

test('tells an unknown name, a closed port and silence apart', async () => {
  await assert.rejects(
    guarded.post({ ...request, url: 'http://no-such-name.invalid/' }),
    failsFor('unknown-host'),
  )
  await assert.rejects(open.post({ ...request, url: 'http://127.0.0.1:1/' }), failsFor('connection'))
  const url = await serve(() => {})
  await assert.rejects(open.post({ ...request, timeoutMs: 50, url }), failsFor('timeout'))
  await assert.rejects(open.post({ ...request, url: 'file:///etc/passwd' }), failsFor('connection'))
})
