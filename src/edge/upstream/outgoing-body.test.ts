import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { PassThrough, Writable } from 'node:stream'
import { test } from 'node:test'
import { OutgoingBody } from './outgoing-body.ts'

const CHUNK = 64 << 10
const COUNT = 10

/** An instance that takes everything at once. */
function instance(): { readonly socket: Socket; bytes(): number } {
  let bytes = 0
  const socket = new Writable({
    highWaterMark: 2 ** 30,
    write(chunk: Buffer, _, done) {
      bytes += chunk.length
      done()
    },
  })
  return { socket: socket as unknown as Socket, bytes: () => bytes }
}

/** A visitor who has sent everything already. */
function visitor(): PassThrough {
  const req = new PassThrough({ highWaterMark: CHUNK * COUNT + 1 })
  for (let n = 0; n < COUNT; n++) req.write(Buffer.alloc(CHUNK, n))
  req.end()
  return req
}

test('one large chunk of a body is passed on in a turn of the event loop, and all of them in the end', async () => {
  const { socket, bytes } = instance()
  const body = new OutgoingBody(visitor())
  const sent = new Promise<void>((resolve) => body.sendTo(socket, '', resolve))
  await new Promise(setImmediate)
  assert.ok(bytes() <= 2 * CHUNK, `${bytes()} bytes in two turns`)
  await sent
  assert.equal(bytes(), COUNT * CHUNK)
})

test('a body that was stopped takes nothing in the next turn, and is whole where it is sent next', async () => {
  const req = visitor()
  const [first, second] = [instance(), instance()]
  const body = new OutgoingBody(req)
  body.sendTo(first.socket, '', () => {})
  await new Promise(process.nextTick)
  body.stop()
  const before = first.bytes()
  await new Promise(setImmediate)
  await new Promise(setImmediate)
  assert.equal(first.bytes(), before)
  assert.ok(body.canRepeat, 'as little as was taken is kept')
  await new Promise<void>((resolve) => body.sendTo(second.socket, '', resolve))
  assert.equal(second.bytes(), COUNT * CHUNK)
})

test('a head and what there is of the body are one piece, and what comes later is another', async () => {
  for (const isChunked of [false, true]) {
    const req = new PassThrough()
    const body = new OutgoingBody(req, { isChunked })
    req.write('first')
    body.sendTo(instance().socket, 'head', () => {})
    await new Promise(setImmediate)
    assert.equal(body.pieces, 1)
    req.write('second')
    await new Promise(setImmediate)
    assert.equal(body.pieces, 2)
    body.stop()
    req.end()
    await new Promise(setImmediate)
    await new Promise<void>((resolve) => body.sendTo(instance().socket, 'head', resolve))
    assert.equal(body.pieces, 1, 'sent again, all of it is there')
  }
})

test('what the kernel would cut is more than one piece', async () => {
  const body = new OutgoingBody(visitor())
  body.sendTo(instance().socket, 'head', () => {})
  await new Promise(process.nextTick)
  assert.ok(body.canRepeat)
  assert.equal(body.pieces, 2)
  body.stop()
})
