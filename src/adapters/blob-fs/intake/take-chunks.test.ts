import assert from 'node:assert/strict'
import { PassThrough, Readable } from 'node:stream'
import { describe, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { takeChunks } from './take-chunks.ts'

const CHUNK = 64 << 10
const chunks = (count: number) => Array.from({ length: count }, (_, n) => Buffer.alloc(CHUNK, n))

/** Something that has all of its chunks at once. */
function fullOf(all: readonly Buffer[]): PassThrough {
  const stream = new PassThrough({ highWaterMark: 1 << 30 })
  for (const chunk of all) stream.write(chunk)
  return stream
}

describe('taking the chunks of a source', () => {
  for (const [what, sourceOf] of [
    ['a stream', (all: Buffer[]) => fullOf(all).end()],
    [
      'an iterable',
      async function* (all: Buffer[]) {
        yield* all
      },
    ],
  ] as const)
    it(`gives each of ${what}, in order, and waits where it is asked to`, async () => {
      const all = chunks(9)
      const taken: number[] = []
      let isTaking = false
      await takeChunks(sourceOf(all), [], (chunk) => {
        assert.ok(!isTaking)
        taken.push(chunk[0] ?? -1)
        if (taken.length % 3 > 0) return undefined
        isTaking = true
        return nextTurn().then(() => {
          isTaking = false
        })
      })
      assert.ok(!isTaking)
      assert.deepEqual(
        taken,
        all.map((_, n) => n),
      )
    })

  it('takes one large chunk in a turn of the event loop, whatever is there, and even if its memory goes away', async () => {
    let turns = 0
    let isOver = false
    const count = (): void => {
      turns++
      if (!isOver) setImmediate(count)
    }
    setImmediate(count)
    const few = 12
    await takeChunks(fullOf(chunks(few)).end(), [], (chunk) => {
      structuredClone(chunk, { transfer: [chunk.buffer as ArrayBuffer] })
      return undefined
    })
    isOver = true
    assert.ok(turns >= few - 1, `${few} chunks in ${turns} turns`)
  })

  it('rejects with what the signal says, once nothing is being taken any more', async () => {
    const controller = new AbortController()
    const source = fullOf(chunks(3))
    const { promise, resolve } = Promise.withResolvers<void>()
    const events: string[] = []
    const taking = takeChunks(source, [controller.signal], () => promise).catch((error: Error) =>
      events.push(error.message),
    )
    await nextTurn()
    controller.abort(new Error('enough'))
    await nextTurn()
    events.push('taken')
    resolve()
    await taking
    assert.deepEqual(events, ['taken', 'enough'])
    // The rest is still to be had, by whoever the source belongs to.
    assert.ok(!source.destroyed)
    source.end()
    let rest = 0
    for await (const chunk of source) rest += chunk.length
    assert.equal(rest, 2 * CHUNK)
  })

  it('takes nothing where a signal has aborted before', async () => {
    const take = () => assert.fail('taken')
    await assert.rejects(
      async () => takeChunks(fullOf(chunks(1)), [AbortSignal.abort(new Error('no'))], take),
      /^Error: no$/,
    )
  })

  it('rejects with what whoever takes throws, then or later', async () => {
    const source = fullOf(chunks(3))
    const fail = () => {
      throw new Error('full')
    }
    await assert.rejects(takeChunks(source, [], fail), /^Error: full$/)
    await assert.rejects(
      takeChunks(source, [], () => nextTurn().then(fail)),
      /^Error: full$/,
    )
    assert.ok(!source.destroyed)
  })

  it('rejects when a source fails, and when it ends before its end', async () => {
    const failing = new PassThrough()
    const failed = takeChunks(failing, [], () => undefined)
    failing.destroy(new Error('broken'))
    await assert.rejects(failed, /^Error: broken$/)
    const closing = new PassThrough()
    const closed = takeChunks(closing, [], () => undefined)
    closing.destroy()
    await assert.rejects(closed, { code: 'ERR_STREAM_PREMATURE_CLOSE' })
    await assert.rejects(
      takeChunks(closing, [], () => undefined),
      { code: 'ERR_STREAM_PREMATURE_CLOSE' },
    )
  })

  it('lets an iterable end that nobody reads to its end', async () => {
    const ended = Promise.withResolvers<void>()
    async function* endless() {
      try {
        for (;;) yield Buffer.alloc(1)
      } finally {
        ended.resolve()
      }
    }
    await assert.rejects(
      takeChunks(endless(), [], () => Promise.reject(new Error('enough'))),
      /^Error: enough$/,
    )
    await ended.promise
  })

  it('does not wait for an iterable that never gives the next chunk', async () => {
    const controller = new AbortController()
    async function* stuck() {
      yield Buffer.alloc(1)
      await new Promise<never>(() => undefined)
    }
    const taking = takeChunks(stuck(), [controller.signal], () => undefined)
    await nextTurn()
    controller.abort(new Error('enough'))
    await assert.rejects(taking, /^Error: enough$/)
  })

  it('refuses what is not bytes', async () => {
    const texts = Readable.from(['text']) as unknown as AsyncIterable<Uint8Array>
    await assert.rejects(
      takeChunks(texts, [], () => undefined),
      TypeError,
    )
  })
})
