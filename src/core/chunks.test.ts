import assert from 'node:assert/strict'
import { once } from 'node:events'
import { PassThrough, Readable, Writable } from 'node:stream'
import { test } from 'node:test'
import { freeChunk, markUnshared, pour, pourWhole } from './chunks.ts'

const filled = (length: number, value: number) => Buffer.from(new ArrayBuffer(length)).fill(value)

/** Takes one chunk at a time, and remembers what was in it. */
function slowSink(): Writable & { readonly taken: string[] } {
  const taken: string[] = []
  const sink = new Writable({
    highWaterMark: 1,
    write(chunk: Buffer, _, done) {
      setImmediate(() => {
        taken.push(chunk.toString())
        done()
      })
    },
  })
  return Object.assign(sink, { taken })
}

test('a chunk is freed unless it is part of something larger', () => {
  const whole = filled(10, 1)
  freeChunk(whole)
  assert.equal(whole.length, 0)
  const larger = filled(10, 1)
  freeChunk(larger.subarray(2, 4))
  assert.equal(larger.length, 10)
})

test('chunks that are nobody else’s are freed once they are written, and not before', async () => {
  const chunks = [filled(3, 97), filled(3, 98), filled(3, 99)]
  const sink = slowSink()
  pour(markUnshared(Readable.from(chunks)), sink)
  await once(sink, 'finish')
  assert.deepEqual(sink.taken, ['aaa', 'bbb', 'ccc'])
  assert.deepEqual(
    chunks.map(({ length }) => length),
    [0, 0, 0],
  )
})

test('chunks of any other stream are left alone', async () => {
  const chunks = [filled(3, 97), filled(3, 98)]
  const sink = slowSink()
  pour(Readable.from(chunks), sink)
  await once(sink, 'finish')
  assert.deepEqual(
    chunks.map((chunk) => chunk.toString()),
    ['aaa', 'bbb'],
  )
})

test('a source waits for a sink that has enough', async () => {
  const source = new PassThrough({ highWaterMark: 1 })
  const done = Promise.withResolvers<void>()
  const sink = new Writable({
    highWaterMark: 1,
    write: (_chunk, _, next) => void done.promise.then(() => next()),
  })
  pour(source, sink)
  source.write('a')
  await new Promise(setImmediate)
  assert.ok(source.isPaused())
  done.resolve()
  await once(sink, 'drain')
  assert.ok(!source.isPaused())
})

test('what is stopped passes nothing on, and ends nothing', async () => {
  const source = new PassThrough()
  const sink = slowSink()
  pour(source, sink)()
  source.resume().end('a')
  await once(source, 'end')
  assert.deepEqual(sink.taken, [])
  assert.ok(!sink.writableEnded)
})

test('whichever of two fails, the other is broken off', async () => {
  const broken = new Error('broken')
  const source = new PassThrough()
  const sink = slowSink().on('error', () => {})
  const told = new Promise((resolve) => pourWhole(source, sink, resolve))
  source.destroy(broken)
  assert.equal(await told, broken)
  assert.ok(sink.destroyed)

  const left = new PassThrough()
  const gone = slowSink()
  pourWhole(left, gone, () => {})
  gone.destroy()
  await once(left, 'close')
  assert.ok(left.destroyed)
})

test('what has told of its end before is ended all the same', async () => {
  const source = new PassThrough()
  source.resume().end()
  await once(source, 'end')
  const sink = slowSink()
  pour(source, sink)
  assert.ok(sink.writableEnded)
})

test('of large chunks that are all there, one is taken in a turn of the event loop', async () => {
  const sink = endlessSink()
  pour(readyChunks(10, 64 << 10), sink)
  await new Promise(setImmediate)
  assert.ok(sink.taken() <= 2, `${sink.taken()} were taken in two turns`)
  await once(sink, 'finish')
  assert.equal(sink.taken(), 10)
})

test('small chunks do not wait for a turn of their own', async () => {
  const sink = endlessSink()
  pour(readyChunks(10, 100), sink)
  await new Promise(setImmediate)
  assert.equal(sink.taken(), 10)
})

test('whoever stops it is not sent what would have come in the next turn', async () => {
  const source = readyChunks(10, 64 << 10)
  const stop = pour(source, endlessSink())
  await once(source, 'data')
  stop()
  await new Promise(setImmediate)
  assert.ok(source.isPaused())
})

/** A source that has everything already. */
function readyChunks(count: number, size: number): PassThrough {
  const source = new PassThrough({ highWaterMark: count * size + 1 })
  for (let n = 0; n < count; n++) source.write(Buffer.alloc(size, n))
  source.end()
  return source
}

function endlessSink(): Writable & { taken(): number } {
  let count = 0
  const sink = new Writable({
    highWaterMark: 2 ** 30,
    write(_chunk, _, done) {
      count++
      done()
    },
  })
  return Object.assign(sink, { taken: () => count })
}
