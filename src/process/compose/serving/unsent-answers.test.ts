import assert from 'node:assert/strict'
import { once } from 'node:events'
import {
  type ClientHttp2Session,
  connect as connectHttp2,
  constants,
  createServer,
  type Http2ServerResponse,
} from 'node:http2'
import { type AddressInfo, connect } from 'node:net'
import { after, test } from 'node:test'
import type { Handle } from '#listener/listener-request.ts'
import { limitUnsent } from './unsent-answers.ts'

const MB = 1024 * 1024
const BYTES = 600_000
const closing: (() => unknown)[] = []
after(() => {
  for (const close of closing.reverse()) close()
})

async function serve(handle: Handle): Promise<number> {
  const server = createServer(handle as Parameters<typeof createServer>[1]).listen(0, '127.0.0.1')
  closing.push(() => server.close())
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** With a window of nothing, nothing of a body is ever sent. */
function open(port: number, localAddress: string, initialWindowSize: number): ClientHttp2Session {
  const socket = connect({ port, host: '127.0.0.1', localAddress })
  const settings = { initialWindowSize }
  const session = connectHttp2(`http://127.0.0.1:${port}`, { createConnection: () => socket, settings })
  closing.push(() => session.destroy())
  return session.on('error', () => {})
}

/** How a stream ended, and how much of the answer came. */
async function ask(port: number, localAddress: string): Promise<readonly [code: number, bytes: number]> {
  const session = open(port, localAddress, MB)
  const stream = session.request({ ':path': '/' }).on('error', () => {})
  let bytes = 0
  stream.on('data', (chunk: Buffer) => {
    bytes += chunk.length
  })
  await new Promise((resolve) => stream.once('close', resolve))
  session.destroy()
  return [stream.rstCode ?? 0, bytes]
}

const { NGHTTP2_NO_ERROR, NGHTTP2_CANCEL } = constants
const WHOLE = [NGHTTP2_NO_ERROR, BYTES]
const text = 'x'.repeat(BYTES)
const answers: Readonly<Record<string, (res: Http2ServerResponse) => void>> = {
  'at once': (res) => res.end(text),
  'in pieces': (res) => {
    for (let at = 0; at < BYTES; at += 60_000) res.write(text.slice(at, at + 60_000))
    res.end()
  },
}

for (const [how, answer] of Object.entries(answers))
  test(`answers that are given ${how} and that nobody reads have an end`, async () => {
    const handle: Handle = (_req, res) => answer(res as Http2ServerResponse)
    const port = await serve(limitUnsent(handle, { all: 64 * MB, source: 2 * MB }))
    const deaf = open(port, '127.0.0.1', 0)
    const request = () => deaf.request({ ':path': '/' }).on('error', () => {})
    const streams = [request(), request(), request()]
    await Promise.all(streams.map((stream) => once(stream, 'response')))
    const last = request()
    await new Promise((resolve) => last.once('close', resolve))
    assert.equal(last.rstCode, NGHTTP2_CANCEL)
    assert.ok(streams.every(({ closed }) => !closed))
    assert.notDeepEqual(await ask(port, '127.0.0.1'), WHOLE)
    assert.deepEqual(await ask(port, '127.0.0.2'), WHOLE, 'others do not notice')
    deaf.destroy()
    // With the connection goes what it held.
    while ((await ask(port, '127.0.0.1'))[1] < BYTES) await new Promise(setImmediate)
  })
