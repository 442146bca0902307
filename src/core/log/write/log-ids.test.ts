import assert from 'node:assert/strict'
import { it } from 'node:test'
import { clockOf } from '#test/support/clock.ts'
import { createLogIds, logId } from './log-ids.ts'

it('gives out 24 digits that rise, also while the clock stands still or goes back', () => {
  const times = [
    1_700_000_000_000, 1_700_000_000_000, 1_700_000_000_001, 1_600_000_000_000, 1_700_000_000_002,
  ]
  const next = createLogIds(clockOf(() => times.shift() ?? 0))
  const taken = Array.from({ length: 5 }, () => next())
  const ids = taken.map(({ takenAt, count }) => logId(takenAt, count))
  assert.ok(ids.every((id) => /^\d{24}$/.test(id)))
  assert.deepEqual(ids, [...new Set(ids)].sort())
  assert.deepEqual(
    taken.map(({ takenAt }) => takenAt - 1_700_000_000_000),
    [0, 0, 1, 1, 2],
  )
  assert.ok(ids.every((id, i) => id.startsWith(String(taken[i]?.takenAt))))
})

it('leaves room for entries that are taken together', () => {
  const next = createLogIds(clockOf(() => 1_700_000_000_000))
  const { count } = next(2)
  assert.equal(next().count, count + 2)
})

it('gives two processes different ids in the same millisecond', () => {
  const clock = clockOf(() => 1_700_000_000_000)
  const [a, b] = [createLogIds(clock), createLogIds(clock)]
  const ids = Array.from({ length: 100 }, () =>
    [a(), b()].map(({ takenAt, count }) => logId(takenAt, count)),
  ).flat()
  assert.equal(new Set(ids).size, 200)
})
