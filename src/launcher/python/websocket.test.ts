import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { start } from '#test/support/sandbox/launched.ts'

const found = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 8))'])
const skip = found.status === 0 ? false : 'python3 (3.8 or newer) is not installed'

/** Says back what it hears, until it is told to end. */
const ECHO = `
import json

async def app(scope, receive, send):
    if scope['type'] == 'http':
        await send({'type': 'http.response.start', 'status': 200, 'headers': []})
        await send({'type': 'http.response.body', 'body': b'plain'})
        return
    if scope['type'] != 'websocket':
        raise NotImplementedError
    assert (await receive())['type'] == 'websocket.connect'
    if scope['path'] == '/closed':
        await send({'type': 'websocket.close'})
        return
    if scope['path'] == '/denied':
        await send({'type': 'websocket.http.response.start', 'status': 401, 'headers': [(b'x-why', b'token')]})
        await send({'type': 'websocket.http.response.body', 'body': b'who are you?'})
        return
    if scope['path'] == '/fails':
        raise RuntimeError('failed before')
    chosen = scope['subprotocols'][-1] if scope['subprotocols'] else None
    await send({'type': 'websocket.accept', 'subprotocol': chosen, 'headers': [(b'x-from', b'python')]})
    print('open', scope['scheme'], scope['path'], scope['query_string'].decode())
    while True:
        message = await receive()
        if message['type'] == 'websocket.disconnect':
            print('left', message['code'], message['reason'])
            return
        if message.get('text') == 'end':
            await send({'type': 'websocket.close', 'code': 4001, 'reason': 'as told'})
            return
        if message.get('text') == 'return':
            return
        if message.get('text') == 'fail':
            raise RuntimeError('failed after')
        del message['type']
        await send(dict(message, type='websocket.send'))
`

/** At an address that clients can be given, since theirs know no unix sockets. */
async function launchEcho(t: TestContext) {
  const launched = await start(t, { files: { 'main.py': ECHO } }, 'python')
  const sockets = new Set<Socket>()
  const relay = createServer((socket) => {
    const onward = connect(launched.http)
    for (const each of [socket, onward]) sockets.add(each.on('error', () => {}))
    socket.pipe(onward).pipe(socket)
    // One that was reset does not end the other by itself, and its client would wait for ever.
    onward.once('close', () => socket.end())
    socket.once('close', () => onward.end())
  }).listen(0, '127.0.0.1')
  await once(relay, 'listening')
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    relay.close()
  })
  const { port } = relay.address() as AddressInfo
  return { launched, port, url: (path: string) => `ws://127.0.0.1:${port}${path}` }
}

/** With an id, so that what the application says meanwhile is told of. */
async function opened(url: string, protocols: string[] = []): Promise<WebSocket> {
  // Browsers take no headers; the client of Node does.
  const options = { protocols, headers: { 'x-aloft-request-id': 'r1' } } as unknown as string[]
  const socket = new WebSocket(url, options)
  socket.binaryType = 'arraybuffer'
  await once(socket, 'open')
  return socket
}

async function said(socket: WebSocket, words: string | Uint8Array<ArrayBuffer>): Promise<unknown> {
  const heard = once(socket, 'message')
  socket.send(words)
  const [{ data }] = await heard
  return data
}

const closed = async (socket: WebSocket): Promise<[number, string]> => {
  const [{ code, reason }] = await once(socket, 'close')
  return [code, reason]
}

test('an ASGI application speaks WebSocket: text, bytes of any length, a protocol, and the end', {
  skip,
}, async (t) => {
  const { launched, url } = await launchEcho(t)
  const socket = await opened(url('/chat?room=1'), ['first', 'second'])
  assert.equal(socket.protocol, 'second')
  await launched.heard(({ text }) => text === 'open wss /chat room=1')
  assert.equal(await said(socket, 'grüße'), 'grüße')
  for (const length of [0, 125, 126, 65_535, 65_536, 3_000_000]) {
    const bytes = new Uint8Array(length).map((_, index) => index % 251)
    const back = new Uint8Array((await said(socket, bytes)) as ArrayBuffer)
    assert.ok(Buffer.from(bytes).equals(back), `${length} bytes`)
  }
  // The process answers others meanwhile.
  assert.equal((await launched.fetch('/')).body, 'plain')
  const over = closed(socket)
  socket.close(4321, 'enough')
  assert.deepEqual(await over, [4321, 'enough'])
  await launched.heard(({ text }) => text === 'left 4321 enough')
})

test('the application ends it, returns, fails, or refuses, and the client learns which', {
  skip,
}, async (t) => {
  const { launched, url } = await launchEcho(t)
  for (const [words, code, reason] of [
    ['end', 4001, 'as told'],
    ['return', 1000, ''],
    ['fail', 1011, ''],
  ] as const) {
    const socket = await opened(url('/'))
    const over = closed(socket)
    socket.send(words)
    assert.deepEqual(await over, [code, reason])
  }
  await launched.heard(({ text }) => text === 'RuntimeError: failed after')
  const headers = {
    ...{ connection: 'Upgrade', upgrade: 'websocket' },
    ...{ 'sec-websocket-version': '13', 'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==' },
  }
  const closedFirst = await launched.fetch('/closed', { headers })
  const denied = await launched.fetch('/denied', { headers })
  const failed = await launched.fetch('/fails', { headers })
  assert.deepEqual([closedFirst.status, denied.status, failed.status], [403, 401, 500])
  assert.deepEqual([denied.headers['x-why'], denied.body], ['token', 'who are you?'])
  const other = { ...headers, 'sec-websocket-version': '8' }
  assert.equal((await launched.fetch('/', { headers: other })).body, 'plain')
})

const frame = (first: number, data: Buffer, masked = 0x80): Buffer =>
  Buffer.concat([Buffer.of(first, masked | data.length), Buffer.alloc(masked ? 4 : 0), data])

/** What comes back after the head for what is sent after it. */
async function exchange(port: number, ...sent: readonly Buffer[]): Promise<Buffer> {
  const socket = connect(port, '127.0.0.1')
  socket.write(
    'GET / HTTP/1.1\r\nHost: site.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  )
  const [head] = (await once(socket, 'data')) as [Buffer]
  assert.match(String(head), /^HTTP\/1\.1 101 .*sec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK\+xOo=\r\n/s)
  assert.match(String(head), /x-from: python\r\n/)
  for (const each of sent) socket.write(each)
  return Buffer.concat(await socket.toArray())
}

const END = frame(0x81, Buffer.from('end'))

test('messages in parts, and what comes between them, are put together', { skip }, async (t) => {
  const { port } = await launchEcho(t)
  const parts = [
    frame(0x01, Buffer.from('one ')),
    frame(0x89, Buffer.from('ping')),
    frame(0x00, Buffer.from('two ')),
    frame(0x80, Buffer.from('three')),
  ]
  const all = Buffer.concat([...parts, END])
  const expected = Buffer.concat([
    Buffer.of(0x8a, 4),
    Buffer.from('ping'),
    Buffer.of(0x81, 13),
    Buffer.from('one two three'),
    Buffer.of(0x88, 9, 0x0f, 0xa1),
    Buffer.from('as told'),
  ])
  assert.deepEqual(await exchange(port, all), expected)
  assert.deepEqual(await exchange(port, ...[...all].map((byte) => Buffer.of(byte))), expected)
})

test('what no client may send ends the connection with its code', { skip }, async (t) => {
  const { port } = await launchEcho(t)
  const long = Buffer.of(0x82, 0xff, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0)
  for (const [what, sent, code] of [
    ['a frame that is not masked', frame(0x81, Buffer.from('x'), 0), 1002],
    ['a bit of an extension', frame(0xc1, Buffer.from('x')), 1002],
    ['an opcode that nobody knows', frame(0x83, Buffer.from('x')), 1002],
    ['a part of nothing', frame(0x80, Buffer.from('x')), 1002],
    ['a control frame in parts', frame(0x09, Buffer.from('x')), 1002],
    ['text that is not UTF-8', frame(0x81, Buffer.of(0xff)), 1007],
    ['a message of 4 GB', long, 1009],
  ] as const) {
    const answer = await exchange(port, sent)
    assert.deepEqual([...answer], [0x88, 2, code >> 8, code & 255], what)
  }
})
