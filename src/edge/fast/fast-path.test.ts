import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer as createHttp } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Duplex } from 'node:stream'
import { after, test } from 'node:test'
import { connect as connectTls, createServer as createTls } from 'node:tls'
import {
  createEdgeWorld,
  type EdgeWorld,
  KEEP_ALIVE_MS,
  serveFast,
  serveSlow,
  settleForms,
} from '#test/support/http/edge.ts'

const closing: (() => Promise<void> | void)[] = []
after(async () => {
  for (const close of closing.reverse()) await close()
})

const FILES = { 'index.html': 'home '.repeat(100), 'a.txt': 'a', 'medium.bin': Buffer.alloc(100_000, 'm') }

async function start(options: Parameters<typeof createEdgeWorld>[0] = {}) {
  const world = createEdgeWorld(options)
  world.addSite('site.test', FILES)
  const fast = await serveFast(world.edge)
  closing.push(() => world.edge.close(), fast.close)
  return { world, fast }
}

const head = (path: string, ...lines: string[]) =>
  `${[`GET ${path} HTTP/1.1`, 'Host: site.test', ...lines].join('\r\n')}\r\n\r\n`

/** Reads one answer of a known length from a connection. */
async function answer(socket: Socket | Duplex): Promise<string> {
  let text = ''
  for (;;) {
    const [chunk] = (await once(socket, 'data')) as [Buffer]
    text += chunk.toString('latin1')
    const end = text.indexOf('\r\n\r\n') + 4
    const length = Number(/^content-length: (\d+)/im.exec(text.slice(0, end))?.[1] ?? 0)
    if (end > 3 && text.length >= end + length) return text
  }
}

async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  closing.push(() => void socket.destroy())
  await once(socket, 'connect')
  return socket
}

async function say(socket: Socket, text: string): Promise<string> {
  socket.write(text, 'latin1')
  return answer(socket)
}

const stampless = (text: string) =>
  text.replace(/^date: .*$/im, 'date').replaceAll(/iad1::[0-9a-f]+-[0-9a-z]+/g, 'id')

/** The site is looked up by the first request, which somebody else has to answer. */
async function warm(port: number): Promise<void> {
  const socket = await open(port)
  await say(socket, head('/a.txt'))
  socket.destroy()
}

test('hot files are answered as node:http answers them, byte by byte, without it', async () => {
  const { world, fast } = await start()
  const slow = await serveSlow(world.edge)
  closing.push(slow.close)
  await warm(fast.port)
  await settleForms(slow.port)
  const [a, b] = [await open(fast.port), await open(slow.port)]
  const before = fast.handedOver()
  const tag = `"${world.sites.get('site.test')?.files.get('a.txt')?.sha256}"`
  for (const lines of [
    [head('/')],
    [head('/a.txt')],
    [head('/a.txt?x=1')],
    [head('/medium.bin')],
    [head('/', 'Accept-Encoding: br')],
    [head('/', 'accept-encoding:gzip;q=1, br;q=0.1', 'User-Agent: x', 'Connection: Keep-Alive')],
    [head('/a.txt', `If-None-Match: ${tag}`)],
    [head('/a.txt', 'If-None-Match: "other"')],
    [head('/a.txt', 'Cookie: a=b', 'Sec-Fetch-Mode: navigate', 'X-Any: thing', 'Accept: */*')],
  ].flat())
    assert.equal(stampless(await say(a, lines)), stampless(await say(b, lines)), lines)
  assert.equal(fast.handedOver(), before)
})

const UNUSUAL: Readonly<Record<string, string>> = {
  HEAD: head('/').replace('GET', 'HEAD'),
  'HTTP/1.0': head('/').replace('1.1', '1.0'),
  'a body': head('/', 'Content-Length: 0'),
  'a chunked body': `${head('/', 'Transfer-Encoding: chunked')}0\r\n\r\n`,
  'a range': head('/', 'Range: bytes=0-1'),
  'a condition': head('/', 'If-Match: *'),
  'an expectation': head('/', 'Expect: 100-continue'),
  'an upgrade': head('/', 'Upgrade: websocket'),
  'the end of the connection': head('/', 'Connection: close'),
  'two hosts': head('/', 'Host: site.test'),
  'no host': head('/').replace('Host', 'X-Host'),
  'an unknown header': head('/', 'Unknown: x'),
  'a space before the colon': head('/', 'X-A : b'),
  'a folded header': head('/', 'X-A: b', ' c'),
  'a byte above ASCII': head('/', 'X-A: \xe9'),
  'a NUL': head('/', 'X-A: \0'),
  'a bare line feed': head('/', 'X-A: b\nX-B: c'),
  'a bare carriage return': head('/', 'X-A: b\rX-B: c'),
  'two heads at once': head('/') + head('/'),
  'half a head': head('/').slice(0, -2),
  'an absolute target': head('http://site.test/'),
  'a path to be decoded': head('/%61.txt'),
  'a path with a space': head('/a b'),
  'an odd query': head('/?a="b"'),
  'a file that is not there': head('/nope'),
  'another host': head('/').replace('site.test', 'other.test'),
  'a host that is no name': head('/').replace('site.test', 'site.test:x'),
  'a long head': head('/', `X-A: ${'x'.repeat(9000)}`),
  'many headers': head('/', ...Array.from({ length: 50 }, (_, i) => `X-${i}: y`)),
}
for (const [name, text] of Object.entries(UNUSUAL))
  test(`${name} is for node:http`, async () => {
    const { fast } = await start()
    await warm(fast.port)
    const before = fast.handedOver()
    const socket = await open(fast.port)
    await say(socket, head('/a.txt'))
    assert.equal(fast.handedOver(), before)
    socket.write(text, 'latin1')
    while (fast.handedOver() === before) await new Promise(setImmediate)
  })

test('a site that does not serve is for node:http', async () => {
  const { world, fast } = await start()
  world.addSite('paused.test', FILES, { status: 'paused' })
  const socket = await open(fast.port)
  assert.match(await say(socket, head('/a.txt').replace('site', 'paused')), /^HTTP\/1.1 503 /)
  const again = await open(fast.port)
  const before = fast.handedOver()
  assert.match(await say(again, head('/a.txt').replace('site', 'paused')), /DEPLOYMENT_PAUSED/)
  assert.equal(fast.handedOver(), before + 1)
})

test('a large file is for node:http', async () => {
  const { world, fast } = await start()
  world.addSite('site.test', { 'a.txt': 'a', 'large.bin': Buffer.alloc(2_000_000) })
  await warm(fast.port)
  const before = fast.handedOver()
  const socket = await open(fast.port)
  assert.equal((await say(socket, head('/large.bin'))).length > 2_000_000, true)
  assert.equal(fast.handedOver(), before + 1)
})

test('a file that is not in memory yet is waited for, and a change too', async () => {
  const { world, fast } = await start()
  await warm(fast.port)
  const before = fast.handedOver()
  const socket = await open(fast.port)
  // Often enough that the connection remembers where it was found.
  for (let i = 0; i < 3; i++) assert.match(await say(socket, head('/')), /home/)
  world.addSite('site.test', { 'index.html': 'changed' })
  world.edge.invalidate('site.test')
  assert.match(await say(socket, head('/')), /changed$/)
  assert.equal(fast.handedOver(), before)
  world.addSite('site.test', { 'index.html': 'changed' }, { status: 'deleted' })
  world.edge.invalidate('site.test')
  assert.match(await say(socket, head('/')), /^HTTP\/1.1 410 /)
  assert.equal(fast.handedOver(), before + 1)
})

test('a content that cannot be read is an error that node:http tells', async () => {
  const { world, fast } = await start()
  await warm(fast.port)
  world.blobs.clear()
  const socket = await open(fast.port)
  assert.match(await say(socket, head('/')), /^HTTP\/1.1 500 /)
})

test('visits are recorded like those of node:http', async () => {
  const { world, fast } = await start()
  await warm(fast.port)
  while (world.visits.length === 0) await new Promise(setImmediate)
  world.visits.length = 0
  const socket = await open(fast.port)
  const text = await say(socket, head('/a.txt?q=1', 'User-Agent: agent/1'))
  const [visit] = world.visits
  assert.equal(/x-vercel-id: (.*)\r\n/.exec(text)?.[1], visit?.id)
  assert.ok(visit && Math.abs(visit.at - Date.now()) < 10_000)
  assert.deepEqual(
    { ...visit, at: 0 },
    {
      id: /x-platform-id: (.*)\r\n/.exec(text)?.[1],
      at: 0,
      deploymentId: 'dpl_site.test',
      ownerId: 'owner_1',
      projectId: 'prj_1',
      environment: 'production',
      host: 'site.test',
      method: 'GET',
      path: '/a.txt?q=1',
      protocol: 'HTTP/1.1',
      status: 200,
      ms: 0,
      bytes: 1,
      ip: '127.0.0.1',
      userAgent: 'agent/1',
      source: 'static',
      entrypoint: '/a.txt',
      coldStart: undefined,
      reason: undefined,
    },
  )
})

test('a peer that ends its side is answered, and then ours is ended', async () => {
  const { fast } = await start()
  await warm(fast.port)
  const socket = connect({ port: fast.port, host: '127.0.0.1', allowHalfOpen: true })
  socket.end(head('/a.txt'))
  let text = ''
  for await (const chunk of socket) text += chunk
  assert.match(text, /^HTTP\/1.1 200 OK.*\r\n\r\na$/s)
})

test('a connection that is idle for too long is closed', async () => {
  const { fast } = await start({ keepAliveMs: 100 })
  const silent = await open(fast.port)
  await warm(fast.port)
  const used = await open(fast.port)
  await say(used, head('/a.txt'))
  await Promise.all([once(silent, 'close'), once(used, 'close')])
})

test('once released, connections are with node:http, those to come too', async () => {
  const { world, fast } = await start()
  await warm(fast.port)
  const socket = await open(fast.port)
  await say(socket, head('/a.txt'))
  const before = fast.handedOver()
  world.edge.fastPath.release(true)
  assert.equal(fast.handedOver(), before + 1)
  assert.match(await say(socket, head('/a.txt')), /^HTTP\/1.1 200 /)
  const late = await open(fast.port)
  assert.match(await say(late, head('/a.txt')), /^HTTP\/1.1 200 /)
  assert.equal(fast.handedOver(), before + 2)
})

/** A connection whose peer takes nothing that it is sent until told to. */
class SlowSocket extends Duplex {
  readonly written: Buffer[] = []
  readonly timeouts: number[] = []
  taken: () => void = () => {}

  constructor() {
    super({ decodeStrings: true })
  }
  override _read(): void {}
  override _write(chunk: Buffer, _encoding: unknown, done: () => void): void {
    this.written.push(chunk)
    this.taken = done
  }
  setTimeout(ms: number): void {
    this.timeouts.push(ms)
  }
}

async function slowSocket({ edge }: EdgeWorld) {
  const socket = new SlowSocket()
  let handedOver = false
  edge.fastPath.take(socket as unknown as Socket, () => {
    handedOver = true
  })
  return {
    socket,
    handedOver: () => handedOver,
    async send(text: string) {
      socket.push(text)
      await new Promise(setImmediate)
    },
  }
}

test('a buffer that a slow peer has not taken yet is never changed, whoever comes after', async () => {
  const { world, fast } = await start()
  await warm(fast.port)
  const socket = await open(fast.port)
  await say(socket, head('/a.txt'))
  const slow = await slowSocket(world)
  await slow.send(head('/a.txt'))
  const [queued] = slow.socket.written as [Buffer]
  const before = queued.toString('latin1')
  const ids = new Set([before])
  for (let i = 0; i < 100; i++) {
    const text = await say(socket, head('/a.txt'))
    assert.equal(stampless(text), stampless(before))
    ids.add(text)
  }
  assert.equal(ids.size, 101)
  assert.equal(queued.toString('latin1'), before)
})

test('a peer that does not take its answer is watched, and one that asks on meanwhile is handed over', async () => {
  const { world, fast } = await start()
  await warm(fast.port)
  const slow = await slowSocket(world)
  await slow.send(head('/a.txt'))
  assert.deepEqual(slow.socket.timeouts, [KEEP_ALIVE_MS])
  await slow.send(head('/a.txt'))
  assert.ok(slow.handedOver())
  assert.equal(slow.socket.written.length, 1)
})

test('a peer that has taken its answer, late, is not taken for one that does not', async () => {
  const { world, fast } = await start()
  await warm(fast.port)
  const [late, never] = [await slowSocket(world), await slowSocket(world)]
  for (const { socket, send } of [late, never]) {
    await send(head('/a.txt'))
    assert.deepEqual(socket.timeouts, [KEEP_ALIVE_MS])
  }
  late.socket.taken()
  // What has gone past the stream since does not put it off.
  for (const { socket } of [late, never]) socket.emit('timeout')
  assert.deepEqual([late.socket.destroyed, never.socket.destroyed], [false, true])
  late.socket.destroy()
})

test('over TLS the answers are the same', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'aloft-fast-'))
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const subject = ['-subj', '/CN=site.test', '-keyout', key, '-out', cert]
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', ...subject], {
    stdio: 'ignore',
  })
  const { world, fast } = await start()
  await warm(fast.port)
  const http = createHttp({ keepAliveTimeout: KEEP_ALIVE_MS }, (req, res) => void world.edge.handle(req, res))
  let handedOver = 0
  const secure = createTls(
    { key: readFileSync(key), cert: readFileSync(cert), allowHalfOpen: true },
    (socket) =>
      world.edge.fastPath.take(socket, (given) => {
        handedOver++
        http.emit('connection', given)
      }),
  )
  rmSync(folder, { recursive: true })
  secure.listen(0, '127.0.0.1')
  await once(secure, 'listening')
  const socket = connectTls({
    port: (secure.address() as AddressInfo).port,
    host: '127.0.0.1',
    rejectUnauthorized: false,
  })
  closing.push(
    () => void secure.close(),
    () => void socket.destroy(),
  )
  await once(socket, 'secureConnect')
  const plain = await open(fast.port)
  for (const text of [head('/a.txt'), head('/medium.bin'), head('/'), head('/a.txt')])
    assert.equal(stampless(await say(socket, text)), stampless(await say(plain, text)))
  assert.equal(handedOver, 0)
  assert.match(await say(socket, head('/a.txt', 'Range: bytes=0-0')), /^HTTP\/1.1 206 /)
  assert.equal(handedOver, 1)
})

test('what is released for the moment is with node:http, while new connections are answered here', async () => {
  const { world, fast } = await start()
  await warm(fast.port)
  const socket = await open(fast.port)
  await say(socket, head('/a.txt'))
  const before = fast.handedOver()
  world.edge.fastPath.release(false)
  assert.equal(fast.handedOver(), before + 1)
  const late = await open(fast.port)
  assert.match(await say(late, head('/a.txt')), /^HTTP\/1.1 200 /)
  assert.equal(fast.handedOver(), before + 1)
})
