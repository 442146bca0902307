import assert from 'node:assert/strict'
import { PassThrough, type Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { AnswerMemory } from '../answer-memory.ts'
import { tee } from './tee.ts'

const CHUNK = 64 << 10
const memory = new AnswerMemory()
const held = () => memory.hold('somebody')

/** Something that has all of its chunks at once. */
function full(count: number): PassThrough {
  const body = new PassThrough({ highWaterMark: (count + 1) * CHUNK })
  for (let n = 0; n < count; n++) body.write(Buffer.alloc(CHUNK, n))
  return body.end()
}

test('all of a body is there, whoever it is sent on to, and one large chunk is taken in a turn', async () => {
  const body = full(10)
  let taken = 0
  body.on('data', () => taken++)
  const [passing, whole] = tee(body, 10 * CHUNK, held())
  await new Promise(setImmediate)
  assert.ok(taken <= 2, `${taken} chunks in two turns`)
  // Nobody has read any of it yet.
  const bytes = await whole
  assert.deepEqual([bytes?.length, bytes?.[0], bytes?.at(-1)], [10 * CHUNK, 0, 9])
  assert.ok((await buffer(passing as Readable)).equals(bytes as Buffer))
})

test('one that is too long is known to be before its end, and waits for whoever takes it', async () => {
  const body = full(10)
  const [passing, whole] = tee(body, 3 * CHUNK, held())
  assert.equal(await whole, undefined)
  for (let n = 0; n < 20; n++) await new Promise(setImmediate)
  assert.ok(body.readableLength >= 5 * CHUNK, `${body.readableLength} bytes are left`)
  assert.equal((await buffer(passing as Readable)).length, 10 * CHUNK)
})

test('whoever leaves ends it, and what breaks off is not whole', async () => {
  const left = new PassThrough()
  const [gone, none] = tee(left, CHUNK, held())
  left.write('some')
  ;(gone as Readable).destroy()
  assert.equal(await none, undefined)
  assert.ok(left.destroyed)
  const broken = new PassThrough()
  const [passing, part] = tee(broken, CHUNK, held())
  ;(passing as Readable).on('error', () => {})
  broken.destroy(new Error('broken'))
  assert.equal(await part, undefined)
  assert.ok((passing as Readable).destroyed)
  const [late, nothing] = tee(broken, CHUNK, held())
  assert.ok((late as Readable).destroyed)
  assert.equal(await nothing, undefined)
})

test('what is kept of all answers is bounded: one that there is no room for goes on to its visitor', async () => {
  const small = new AnswerMemory({ all: 8 * CHUNK, account: 5 * CHUNK })
  // Nobody reads any of them.
  const bodies = Array.from({ length: 20 }, () => full(4))
  const accounts = ['one', 'two', 'three']
  const kept = bodies.map((body, n) => tee(body, 10 * CHUNK, small.hold(accounts[n % 3] as string)))
  await Promise.all(kept.map(([, whole]) => whole))
  assert.ok(small.size <= 8 * CHUNK, `${small.size} bytes are held`)
  // All of them are whole to those they are for, also those that are not kept.
  for (const [passing] of kept) assert.equal((await buffer(passing as Readable)).length, 4 * CHUNK)
  assert.equal(small.size, 0)
  const [passing, whole] = tee(full(4), 10 * CHUNK, small.hold('one'))
  assert.equal((await whole)?.length, 4 * CHUNK, 'there is room again')
  ;(passing as Readable).destroy()
  await new Promise(setImmediate)
  assert.equal(small.size, 0, 'whoever leaves gives back what was theirs')
})
