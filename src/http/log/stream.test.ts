import assert from 'node:assert/strict'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { it } from 'node:test'
import { streamLines } from './stream.ts'

it('sends a blank line at once, then a line of JSON for each value, then ends', async () => {
  const stream = streamLines(async function* () {
    yield { a: 'one\ntwo' }
    yield 2
  })
  assert.equal(await text(stream), '\n{"a":"one\\ntwo"}\n2\n')
})

it('sends a blank line whenever nothing came for a while', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const more = Promise.withResolvers<void>()
  const stream = streamLines(async function* () {
    yield 1
    await more.promise
    yield 2
  }).setEncoding('utf8')
  const chunks: string[] = []
  stream.on('data', (chunk: string) => chunks.push(chunk))
  const turn = () => new Promise(setImmediate)
  await turn()
  assert.equal(chunks.join(''), '\n1\n')
  t.mock.timers.tick(14_999)
  await turn()
  assert.equal(chunks.join(''), '\n1\n')
  for (let i = 0; i < 2; i++) {
    t.mock.timers.tick(15_000)
    await turn()
  }
  assert.equal(chunks.join(''), '\n1\n\n\n')
  more.resolve()
  await once(stream, 'end')
  assert.equal(chunks.join(''), '\n1\n\n\n2\n')
})

it('takes no more from the source than is read, and sends no signs of life to nobody', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let taken = 0
  const stream = streamLines(async function* () {
    for (;;) {
      taken++
      yield 'x'.repeat(10_000)
    }
  })
  stream.read(0)
  for (let i = 0; i < 50; i++) await new Promise(setImmediate)
  const [before, waiting] = [taken, stream.readableLength]
  assert.ok(before < 20, `${before} values were taken`)
  t.mock.timers.tick(60_000)
  for (let i = 0; i < 50; i++) await new Promise(setImmediate)
  assert.deepEqual([taken, stream.readableLength], [before, waiting])
  stream.destroy()
})

it('tells the source when nobody listens any more', async () => {
  let ended = false
  const stream = streamLines(async function* (signal) {
    try {
      yield 1
      await once(signal, 'abort')
    } finally {
      ended = true
    }
  })
  stream.resume()
  await once(stream, 'data')
  stream.destroy()
  await once(stream, 'close')
  assert.equal(ended, true)
})

it('breaks off when the source fails', async () => {
  const stream = streamLines(async function* () {
    yield 1
    throw new Error('broken')
  })
  await assert.rejects(text(stream), /broken/)
})

it('lets an error through that comes before anything is sent', () => {
  assert.throws(
    () =>
      streamLines(() => {
        throw new Error('too many')
      }),
    /too many/,
  )
})
