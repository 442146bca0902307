import assert from 'node:assert/strict'
import { test } from 'node:test'
import { leastUsed } from './least-used.ts'
import { isMemoryShort } from './machine-memory.ts'
import { Slots } from './slots.ts'

const held = (ownerId: string, idleSince: number, size = 128) => ({ ownerId, idleSince, size })

test('room is made by the account that holds the most, with what it used the longest ago', () => {
  const [old, few, many] = [held('many', 5), held('few', 1), held('many', 9)]
  assert.equal(leastUsed([few, many, old], [old, few, many]), old)
  // Its busy ones count as well.
  assert.equal(leastUsed([few, many], [few, many, held('many', 0)]), many)
  assert.equal(leastUsed([few], [few]), few)
  assert.equal(leastUsed([], [few]), undefined)
  const large = held('large', 99, 4096)
  assert.equal(
    leastUsed([old, many, large], [old, many, large]),
    large,
    'one large one is more than two small',
  )
})

test('nobody makes room for an account that holds more', () => {
  const [small, large] = [held('small', 1), held('hog', 5, 4096)]
  assert.equal(leastUsed([small], [small, large], 'hog'), undefined)
  assert.equal(leastUsed([small, large], [small, large], 'hog'), large)
  assert.equal(leastUsed([small, large], [small, large], 'small'), large)
})

test('memory is short when less is left than the machine needs itself', () => {
  const GB = 2 ** 30
  assert.equal(isMemoryShort({ available: 2 * GB, total: 16 * GB }), false)
  assert.equal(isMemoryShort({ available: GB, total: 16 * GB }), true)
  assert.equal(isMemoryShort({ available: 0.3 * GB, total: GB }), false)
  assert.equal(isMemoryShort({ available: 0.1 * GB, total: GB }), true)
})

test('of those that wait for a slot, who has the fewest gets the next', async () => {
  const slots = new Slots(3)
  const order: string[] = []
  const take = async (name: string) => {
    const release = await slots.take(name.slice(0, 1))
    order.push(name)
    return release
  }
  const [first, second, third] = await Promise.all([take('a1'), take('a2'), take('a3')])
  const waiting = [take('a4'), take('a5'), take('b1'), take('c1'), take('b2')]
  for (const release of [first, second, third]) {
    release?.()
    release?.()
    await new Promise(setImmediate)
  }
  assert.deepEqual(order, ['a1', 'a2', 'a3', 'b1', 'c1', 'a4'])
  for (const each of waiting) void each.then((release) => release())
  await Promise.all(waiting)
  assert.equal(order.length, 8)
  assert.equal(slots.taken, 0)
})
