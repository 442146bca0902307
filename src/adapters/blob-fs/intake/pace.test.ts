import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Pace } from './pace.ts'

function open() {
  const waits: number[] = []
  const clock = { ms: 1000 }
  const wait = async (ms: number) => {
    waits.push(ms)
  }
  const pace = new Pace({ share: 0.15, now: () => clock.ms, wait })
  // Of many, the last ones count.
  for (let n = 0; n < 500; n++) pace.learn(1_000_000, 3)
  return { waits, clock, pace }
}

test('whoever brings much waits until it is paid for, and everybody else who comes meanwhile', () => {
  const { waits, pace } = open()
  pace.take(500_000)
  pace.take(500_000)
  assert.deepEqual(
    waits.map((ms) => Math.round(ms)),
    [10, 20],
    'a megabyte takes 3 ms, which is a bit more than a seventh of 20 ms',
  )
})

test('a little is taken at once, and what was waited for is not waited for again', () => {
  const { waits, clock, pace } = open()
  assert.equal(pace.take(64 << 10), undefined)
  clock.ms += 10_000
  assert.equal(pace.take(64 << 10), undefined)
  assert.deepEqual(waits, [])
})

test('nobody waits for long, however many there are, nor for those that were there before', () => {
  const { waits, clock, pace } = open()
  for (let n = 0; n < 100; n++) pace.take(1_000_000)
  assert.equal(Math.max(...waits), 250)
  clock.ms += 250
  assert.equal(pace.take(64 << 10), undefined)
})

test('however slow the hashes are, they come in at the least pace', () => {
  const { waits, pace } = open()
  for (let n = 0; n < 500; n++) pace.learn(1_000_000, 100)
  pace.take(3_200_000)
  assert.deepEqual(waits, [100])
})
