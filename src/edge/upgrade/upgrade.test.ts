import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import type { Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { createEdgeWorld, createInstances, serveSlow, siteFunctions } from '#test/support/http/edge.ts'
import { CLOSE_FRAMES } from './websocket-frames.ts'

/** A connection through the edge to a function that speaks as it likes from then on. */
async function open(t: TestContext, protocol: string, speak: (socket: Socket) => void) {
  const instances = await createInstances()
  const world = createEdgeWorld({ runner: instances.runner })
  const server = await serveSlow(world.edge)
  t.after(async () => {
    await server.close()
    await world.edge.close()
    await instances.close()
  })
  const instance = await instances.start('chat', (_, res) => res.end())
  instance.server.on('upgrade', (_: IncomingMessage, socket: Socket) => {
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: ${protocol}\r\n\r\n`,
      () => speak(socket),
    )
  })
  world.addSite('chat.test', {}, { functions: siteFunctions({ chat: { program: 'chat' } }) })
  const req = request({
    ...{ port: server.port, host: '127.0.0.1', path: '/chat', agent: false },
    headers: { host: 'chat.test', connection: 'Upgrade', upgrade: protocol },
  })
  req.end()
  const [, socket, head] = (await once(req, 'upgrade')) as [IncomingMessage, Socket, Buffer]
  const heard = [head]
  socket.on('data', (chunk: Buffer) => heard.push(chunk))
  return { edge: world.edge, socket, heard: () => Buffer.concat(heard), lease: () => instances.leases[0] }
}

/** Hears that the other side has ended, and does not end its own. */
const leaveOpen = (socket: Socket): void => {
  socket.resume().allowHalfOpen = true
}

const isGivenBack = async (lease: () => { readonly ends: readonly unknown[] } | undefined) => {
  while (lease()?.ends.length !== 1) await new Promise(setImmediate)
}

test('a WebSocket of which neither side closes its own is told of the restart and ended', async (t) => {
  const { edge, socket, heard, lease } = await open(t, 'websocket', leaveOpen)
  leaveOpen(socket)
  t.after(() => socket.destroy())
  edge.endStreams()
  await isGivenBack(lease)
  assert.deepEqual(heard(), CLOSE_FRAMES.restart)
})

test('a WebSocket whose function stopped in the middle of a frame is ended all the same', async (t) => {
  const begun = Buffer.of(0x82, 100, 1, 2, 3)
  const { edge, socket, heard, lease } = await open(t, 'websocket', (own) => {
    leaveOpen(own)
    own.write(begun)
  })
  while (heard().length < begun.length) await once(socket, 'data')
  edge.endStreams()
  await once(socket, 'close')
  assert.deepEqual(heard(), begun)
  await isGivenBack(lease)
})

test('a WebSocket whose frame ends after the restart was announced is told then', async (t) => {
  const frame = Buffer.of(0x82, 3, 1, 2, 3)
  const { edge, socket, heard } = await open(t, 'websocket', (own) => {
    own.write(frame.subarray(0, 3))
    own.once('data', () => own.write(frame.subarray(3)))
  })
  while (heard().length < 3) await once(socket, 'data')
  edge.endStreams()
  socket.write('go on')
  await once(socket, 'close')
  assert.deepEqual(heard(), Buffer.concat([frame, CLOSE_FRAMES.restart]))
})

test('who goes on sending over a WebSocket hears of the restart, and is not cut off', async (t) => {
  const { edge, socket, heard } = await open(t, 'websocket', leaveOpen)
  leaveOpen(socket)
  edge.endStreams()
  // Rejects when the connection is cut.
  const ended = once(socket, 'end')
  for (let n = 0; n < 100; n++) {
    await new Promise((sent) => socket.write('more and more', sent))
    await new Promise(setImmediate)
  }
  await ended
  assert.deepEqual(heard(), CLOSE_FRAMES.restart)
  socket.end()
  await once(socket, 'close')
})

test('another protocol than WebSocket is ended as well', async (t) => {
  const { edge, socket, heard, lease } = await open(t, 'chatter', leaveOpen)
  edge.endStreams()
  await once(socket, 'close')
  assert.equal(heard().length, 0)
  await isGivenBack(lease)
})
