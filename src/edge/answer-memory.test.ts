import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AnswerMemory } from './answer-memory.ts'

test('whoever needs room waits until there is enough of it, and no longer than they say', async () => {
  const memory = new AnswerMemory({ all: 100, account: 60 })
  const [first, second, other] = ['a', 'a', 'b'].map((account) => memory.hold(account))
  for (const held of [first, second, other]) assert.equal(held?.grow(30), true)
  assert.equal(await memory.untilRoom('b', 10, AbortSignal.abort()), true)
  assert.equal(await memory.untilRoom('b', 20, AbortSignal.abort()), false)
  const end = new AbortController()
  const told: string[] = []
  const waits = (account: string, bytes: number) =>
    memory.untilRoom(account, bytes, end.signal).then((is) => told.push(`${account} ${bytes} ${is}`))
  const all = [waits('a', 30), waits('b', 20), waits('a', 60)]
  first?.release()
  await Promise.all(all.slice(0, 2))
  assert.deepEqual(told, ['a 30 true', 'b 20 true'])
  end.abort()
  await all[2]
  assert.equal(told.at(-1), 'a 60 false')
  assert.equal(memory.size, 60)
})

test('one visitor holds no more than a part of what an account may', () => {
  const memory = new AnswerMemory({ all: 100, account: 60, visitor: 20 })
  const [slow, same, other, nobody] = ['2001:db8::1', '2001:db8::2', '127.0.0.1', undefined].map((address) =>
    memory.hold('a', address),
  )
  assert.equal(slow?.grow(15), true)
  assert.equal(same?.grow(6), false)
  assert.equal(other?.grow(20), true)
  assert.equal(nobody?.grow(25), true)
  assert.equal(memory.hold('b', '2001:db8::1').grow(20), true, 'at the sites of another account')
  slow?.release()
  assert.equal(same?.grow(15), true)
})
