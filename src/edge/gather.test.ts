import assert from 'node:assert/strict'
import { PassThrough, Readable } from 'node:stream'
import { test } from 'node:test'
import { AnswerMemory } from './answer-memory.ts'
import { gather } from './gather.ts'

const CHUNK = 64 << 10
const held = new AnswerMemory().hold('somebody')

test('a body is gathered whole, one large chunk in a turn of the event loop', async () => {
  const body = new PassThrough({ highWaterMark: 20 * CHUNK })
  for (let n = 0; n < 10; n++) body.write(Buffer.alloc(CHUNK, n))
  body.end()
  let taken = 0
  body.on('data', () => taken++)
  const all = gather(body, 10 * CHUNK, held)
  await new Promise(setImmediate)
  assert.ok(taken <= 2, `${taken} chunks in two turns`)
  const bytes = await all
  assert.ok(Buffer.isBuffer(bytes))
  assert.deepEqual([bytes.length, bytes[0], bytes.at(-1)], [10 * CHUNK, 0, 9])
})

test('one that is too long is broken off, and one that breaks off is told apart', async () => {
  const long = Readable.from([Buffer.alloc(60), Buffer.alloc(60)], { objectMode: false })
  assert.equal(await gather(long, 100, held), 'too-large')
  assert.equal(long.destroyed, true)
  assert.equal(await gather(Buffer.alloc(101), 100, held), 'too-large')
  const broken = new PassThrough()
  const gathering = gather(broken, 100, held)
  broken.write('some')
  broken.destroy(new Error('gone'))
  assert.equal(await gathering, 'broken')
  assert.equal(await gather(broken, 100, held), 'broken', 'also later')
  assert.equal((await gather(undefined, 100, held)).length, 0)
})

test('one that there is no room for is broken off, and others have what it took', async () => {
  const memory = new AnswerMemory({ all: 200, account: 100 })
  const mine = memory.hold('mine')
  const long = Readable.from([Buffer.alloc(60), Buffer.alloc(60)], { objectMode: false })
  assert.equal(await gather(long, 1000, mine), 'no-room')
  assert.equal(long.destroyed, true)
  assert.equal(memory.size, 60)
  assert.equal(memory.hold('mine').grow(41), false, 'the account has its share')
  assert.equal(memory.hold('theirs').grow(100), true, 'others have theirs')
  assert.equal(memory.hold('others').grow(41), false, 'all have theirs together')
  mine.release()
  mine.release()
  assert.equal(memory.size, 100)
  assert.equal(memory.hold('others').grow(100), true)
})
