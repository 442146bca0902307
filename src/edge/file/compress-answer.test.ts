import assert from 'node:assert/strict'
import { once } from 'node:events'
import { PassThrough, Readable } from 'node:stream'
import { test } from 'node:test'
import type { Answer } from '../answer.ts'
import { compressAnswer } from './compress-answer.ts'

/** What a visitor gets of an answer that a function has begun, in each encoding that there is. */
function begin(from: string | undefined, encoding = 'br') {
  const body = new PassThrough()
  const answer: Answer = {
    ...{ status: 200, headers: ['content-type', 'text/html'], body },
    ...{ source: 'function', entrypoint: '/api' },
  }
  const question = { method: 'GET', headers: { 'accept-encoding': encoding }, ...(from ? { from } : {}) }
  const shown = compressAnswer(answer, question) as Answer
  return { body, shown, isCompressed: shown.headers.includes('content-encoding') }
}

/** The visitor leaves. */
async function end({ body, shown }: ReturnType<typeof begin>): Promise<void> {
  const sent = shown.body as Readable
  const closed = once(sent, 'close')
  sent.on('error', () => {}).destroy()
  body.destroy()
  await closed
}

test('answers that are compressed as they come are so many at most, of one source and of all', async () => {
  const from = (address: string, count: number) => Array.from({ length: count }, () => begin(address))
  const compressed = (all: readonly ReturnType<typeof begin>[]) =>
    all.filter((one) => one.isCompressed).length
  const first = [...from('2001:db8::1', 150), ...from('2001:db8::2', 150)]
  assert.equal(compressed(first), 250)
  assert.ok(first.every(({ body, shown, isCompressed }) => isCompressed || shown.body === body))
  const second = from('192.0.2.1', 300)
  assert.equal(compressed(second), 250)
  const third = from('192.0.2.2', 10)
  assert.equal(compressed(third), 4, 'whoever has none gets a few')
  const others = from('192.0.2.3', 1)
  assert.equal(compressed(others), 1)
  // With those who leave goes what they had.
  for (const one of [...first, ...second, ...third, ...others]) await end(one)
  const again = from('192.0.2.1', 300)
  assert.equal(compressed(again), 250)
  for (const one of again) await end(one)
})

test('a stream of Brotli looks back no further than is affordable for hundreds of them', async () => {
  const { body, shown } = begin(undefined)
  body.write('x'.repeat(100_000))
  const [bytes] = (await once(shown.body as Readable, 'data')) as [Buffer]
  // The first bits of a stream say how far, where 0b0011 is 18: 256 KB.
  assert.equal((bytes[0] as number) & 0b1111, 0b0011)
  await end({ body, shown, isCompressed: true })
})

test('what an answer says several times is said of its compressed form, too', () => {
  const saidBy = (name: string, ...values: readonly (string | readonly string[])[]) => {
    const headers = ['content-type', 'text/html', ...values.flatMap((value) => [name, value])]
    const answer: Answer = {
      ...{ status: 200, headers, body: Readable.from(['there']) },
      ...{ source: 'function', entrypoint: '/api' },
    }
    const shown = compressAnswer(answer, { method: 'GET', headers: { 'accept-encoding': 'br' } }) as Answer
    ;(shown.body as Readable).destroy()
    return shown.headers.flatMap((at, i) => (i % 2 === 0 && at === name ? [shown.headers[i + 1]] : []))
  }
  const varyOf = (...values: readonly (string | readonly string[])[]) => saidBy('vary', ...values)
  assert.deepEqual(varyOf(), ['accept-encoding'])
  assert.deepEqual(varyOf('Origin', 'Accept-Encoding'), ['Origin, Accept-Encoding'])
  assert.deepEqual(varyOf('Accept-Encoding', 'Origin'), ['Accept-Encoding, Origin'])
  assert.deepEqual(varyOf(['Origin', 'Accept'], 'Cookie'), ['Origin, Accept, Cookie, accept-encoding'])
  assert.deepEqual(varyOf('X-Accept-Encoding'), ['X-Accept-Encoding, accept-encoding'])
  assert.deepEqual(varyOf('Origin', '*'), ['Origin, *'])
  assert.deepEqual(saidBy('etag', ['"a"', 'W/"b"'], '"c"'), [['W/"a"', 'W/"b"'], 'W/"c"'])
})
