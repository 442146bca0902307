import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestClock } from '#test/support/clock.ts'
import { createContentRoom } from './content-room.ts'
import type { Quotas } from './quotas.ts'

const ANNA = { id: 'anna', plan: 'free' } as const

/** What an account holds, as all processes see it, and the rooms of two of them. */
function twoProcesses(limit: number | null) {
  const clock = createTestClock()
  const held = { bytes: 0, looks: 0 }
  const quotas = {
    limits: async () => ({ contentBytes: limit }),
    used: async () => {
      held.looks++
      return held.bytes
    },
  } as unknown as Quotas
  const [one, two] = [createContentRoom({ quotas, clock }), createContentRoom({ quotas, clock })]
  return { clock, held, one, two }
}

const full = { kind: 'quota_exceeded' }

test('what is on its way to a process takes room there until it is released', async () => {
  const { one } = twoProcesses(100)
  const room = await one.take(ANNA, 60)
  await assert.rejects(one.take(ANNA, 41), full)
  room.release()
  ;(await one.take(ANNA, 100)).release()
})

test('what another process stored meanwhile is seen before something slow is stored', async () => {
  const { one, two, clock, held } = twoProcesses(100)
  const slow = await one.take(ANNA, 60)
  const quick = await two.take(ANNA, 60)
  await quick.confirm(60)
  held.bytes = 60
  quick.release()
  clock.advance(1000)
  await assert.rejects(slow.confirm(60), full)
  slow.release()
  await (await one.take(ANNA, 40)).confirm(40)
})

test('what came at once is not looked at twice', async () => {
  const { one, held } = twoProcesses(100)
  const room = await one.take(ANNA, 60)
  await room.confirm(60)
  assert.equal(held.looks, 1)
  assert.equal(room.limit, 100, 'the store looks')
})

test('contents of unknown length are counted once they are known, and come a few at a time', async () => {
  const { one } = twoProcesses(100)
  const rooms = await Promise.all(Array.from({ length: 4 }, () => one.take(ANNA, undefined)))
  let isIn = false
  const fifth = one.take(ANNA, undefined).then((room) => {
    isIn = true
    return room
  })
  const others = await one.take({ ...ANNA, id: 'bert' }, undefined)
  others.release()
  assert.equal(isIn, false)
  const [first, second, third] = rooms
  await first?.confirm(60)
  await assert.rejects(second?.confirm(60) ?? Promise.resolve(), full)
  await third?.confirm(40)
  second?.release()
  await assert.rejects(fifth, full)
  first?.release()
  third?.release()
  assert.equal((await one.take(ANNA, undefined)).most, 100)
})

test('an account without a limit is neither counted nor kept waiting', async () => {
  const { one, held } = twoProcesses(null)
  const rooms = await Promise.all(Array.from({ length: 10 }, () => one.take(ANNA, undefined)))
  for (const { limit, confirm } of rooms) {
    assert.equal(limit, null)
    await confirm(1e12)
  }
  assert.equal(held.looks, 0)
})
