import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { it, type TestContext } from 'node:test'
import { openSocketBridge } from './socket-bridge.ts'

async function bridgeTo(t: TestContext, ...handle: Parameters<typeof createServer>) {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-bridge-'))
  const server = createServer(...handle).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const path = join(folder, 's')
  const bridge = await openSocketBridge(path, { reachMs: 0, openingMs: 60_000 })
  t.after(async () => {
    server.close()
    await bridge.close()
    await rm(folder, { recursive: true })
  })
  return { bridge, path, target: { host: '127.0.0.1', port: (server.address() as AddressInfo).port } }
}

it('closes connections while it leads nowhere', async (t) => {
  const { path } = await bridgeTo(t)
  assert.equal(await text(connect(path)), '')
})

it('tells whoever has written to a connection that led nowhere that nobody has read it', async (t) => {
  const { bridge, path } = await bridgeTo(t)
  for (const leads of [false, true]) {
    if (leads) bridge.lead({ host: '127.0.0.1', port: 1 })
    const socket = connect(path)
    socket.write('a request')
    const [error] = await once(socket, 'error')
    assert.match(error.code, /^(ECONNRESET|EPIPE)$/)
  }
  assert.equal(bridge.isReached, false)
})

it('tries again for as long as it may where nobody is reached, and waits where that is being moved', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-bridge-'))
  const bridge = await openSocketBridge(join(folder, 's'), { reachMs: 60_000, openingMs: 60_000 })
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', (chunk) => socket.end(`heard ${chunk}`))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(async () => {
    server.close()
    await bridge.close()
    await rm(folder, { recursive: true })
  })
  let attempts = 0
  const again = Promise.withResolvers<void>()
  bridge.lead(() => {
    if (++attempts === 2) again.resolve()
    return connect(1, '127.0.0.1')
  })
  const [first, second] = [connect(join(folder, 's')), connect(join(folder, 's'))]
  first.write('one')
  second.write('two')
  await again.promise
  bridge.hold(true)
  bridge.lead({ host: '127.0.0.1', port: (server.address() as AddressInfo).port })
  assert.equal(await text(first), 'heard one')
  assert.equal(await text(second), 'heard two')
  assert.equal(bridge.isReached, true)
})

it('passes on all of both ways, each to its own end', async (t) => {
  const big = 'x'.repeat(4 * 2 ** 20)
  const { bridge, path, target } = await bridgeTo(t, { allowHalfOpen: true }, async (socket) => {
    const heard = await text(socket)
    socket.end(`${heard.length} ${big}`)
  })
  bridge.lead(target)
  const socket = connect({ path, allowHalfOpen: true })
  socket.end('hello')
  assert.equal(await text(socket), `5 ${big}`)
})

it('closes the near end where the far one cannot be reached or is lost, and the other way round', async (t) => {
  const gone = Promise.withResolvers<void>()
  const { bridge, path, target } = await bridgeTo(t, {}, (socket) => {
    socket.on('data', (chunk) => {
      if (chunk.toString() === 'die') socket.resetAndDestroy()
      else socket.write('here')
    })
    socket.on('close', gone.resolve)
    socket.on('error', () => {})
  })
  bridge.lead({ host: '127.0.0.1', port: 1 })
  assert.equal(await text(connect(path)), '')
  bridge.lead(target)
  const reset = connect(path)
  reset.write('die')
  assert.equal(await text(reset), '')
  const left = connect(path)
  left.write('hello')
  await once(left, 'data')
  left.destroy()
  await gone.promise
})

it('takes everything with it when it is closed', async (t) => {
  const { bridge, path, target } = await bridgeTo(t, {}, (socket) => socket.write('here').valueOf())
  bridge.lead(target)
  const socket = connect(path)
  await once(socket, 'data')
  const closed = once(socket, 'close')
  await bridge.close()
  await closed
  assert.equal(existsSync(path), false)
})

it('lets connections wait while what it leads to is being moved, and cuts those that are open if told to', async (t) => {
  const { bridge, path, target } = await bridgeTo(t, {}, (socket) => {
    socket.on('error', () => {})
    socket.on('data', (chunk) => socket.write(`heard ${chunk}`))
  })
  bridge.lead(target)
  const [spared, cut] = [connect(path), connect(path)]
  spared.write('one')
  await once(spared, 'data')
  bridge.hold(false)
  spared.write('two')
  assert.equal(String((await once(spared, 'data'))[0]), 'heard two')
  const waiting = connect(path)
  waiting.write('three')
  const closed = [once(spared, 'close'), once(cut, 'close')]
  bridge.hold(true)
  await Promise.all(closed)
  bridge.lead(() => connect(target))
  assert.equal(String((await once(waiting, 'data'))[0]), 'heard three')
  waiting.destroy()
})
