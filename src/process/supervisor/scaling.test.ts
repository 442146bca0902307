import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createScaling } from './scaling.ts'

const ticks = (
  { decide }: Pick<ReturnType<typeof createScaling>, 'decide'>,
  busy: readonly number[],
  count: number,
): number[] => Array.from({ length: count }, () => decide(busy))

test('one more is started when all are busy for some seconds', () => {
  const scaling = createScaling({ least: 1, most: 2 })
  assert.deepEqual(ticks(scaling, [0.9], 3), [0, 0, 1])
})

test('a short burst starts nothing', () => {
  const scaling = createScaling({ least: 1, most: 2 })
  assert.deepEqual(
    [...ticks(scaling, [1], 2), ...ticks(scaling, [0.1], 1), ...ticks(scaling, [1], 2)],
    [0, 0, 0, 0, 0],
  )
})

test('a quiet one beside a busy one is no reason for a third', () => {
  assert.ok(ticks(createScaling({ least: 1, most: 4 }), [1, 0.1], 20).every((change) => change === 0))
})

test('there are never more than the most, nor fewer than the least', () => {
  assert.ok(ticks(createScaling({ least: 2, most: 2 }), [1, 1], 20).every((change) => change === 0))
  assert.ok(ticks(createScaling({ least: 2, most: 2 }), [0, 0], 1000).every((change) => change === 0))
})

test('after minutes with little to do one is ended', () => {
  const changes = ticks(createScaling({ least: 1, most: 2 }), [0.1, 0], 600)
  assert.deepEqual(
    changes.flatMap((change, tick) => (change === 0 ? [] : [[tick + 1, change]])),
    [
      [300, -1],
      [600, -1],
    ],
  )
})

test('after one that could not be started the next is waited for longer each time, until one is of use', () => {
  const scaling = createScaling({ least: 1, most: 2 })
  const untilNext = () => {
    for (let n = 1; ; n++) if (scaling.decide([1]) > 0) return n
  }
  const waits = Array.from({ length: 9 }, () => {
    const wait = untilNext()
    scaling.failed()
    return wait
  })
  assert.deepEqual(waits, [3, 6, 12, 24, 48, 96, 192, 300, 300])
  scaling.started()
  assert.equal(untilNext(), 3)
})
