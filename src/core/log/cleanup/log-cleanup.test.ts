import assert from 'node:assert/strict'
import { it } from 'node:test'
import { DAY } from '#contract/time.ts'
import { clockOf } from '#test/support/clock.ts'
import { silentLog } from '#test/support/silent-log.ts'
import { createLogCleanup } from './log-cleanup.ts'

const NOW = 1_700_000_000_000

function createWorld(
  left: number,
  { bytes = 0, built = 0, free = 1e12, maxBytes = 1000, broken = false } = {},
) {
  let shrunk = 0
  let counted = 0
  const calls: (readonly [number, number])[] = []
  const rotated: (readonly [number, number])[] = []
  const job = createLogCleanup({
    store: {
      async rotate(now, createdBefore) {
        rotated.push([now, createdBefore])
        if (broken) throw new Error('cannot be rotated')
      },
      async prune(createdBefore, limit) {
        calls.push([createdBefore, limit])
        const count = Math.min(limit, left)
        left -= count
        return count
      },
      bytes: async () => bytes - shrunk * 100,
      async otherBytes() {
        counted++
        return built
      },
      async deleteOldest() {
        if (bytes - built - shrunk * 100 <= 0) return 0
        shrunk++
        return 1
      },
      giveBack: async () => false,
    },
    maxBytes,
    disk: { free: () => free },
    clock: clockOf(() => NOW),
    step: 10,
    pauseMs: 0,
  })
  const run = (signal = new AbortController().signal) =>
    job.run({}, { id: 'job_1', attempt: 1, signal, log: silentLog })
  return { job, calls, rotated, run, shrunk: () => shrunk, counted: () => counted }
}

it('prunes what is older than three days, step by step, until nothing is left', async () => {
  const { job, calls, run } = createWorld(25)
  await run()
  assert.deepEqual(calls, Array(3).fill([NOW - 3 * DAY, 10]))
  assert.equal(job.kind, 'logs.clean-up')
  assert.ok(job.every !== undefined && job.every <= 3_600_000)
})

it('rotates the tables of days before it looks for rows', async () => {
  const { rotated, run } = createWorld(0)
  await run()
  assert.deepEqual(rotated, [[NOW, NOW - 3 * DAY]])
})

it('makes room although tables of days can be neither made nor dropped, and tells of it', async () => {
  const { calls, run, shrunk } = createWorld(5, { bytes: 1550, broken: true })
  await assert.rejects(run(), /cannot be rotated/)
  assert.equal(calls.length, 1)
  assert.equal(shrunk(), 6)
})

it('stops between two steps when it is told to', async () => {
  const { calls, run } = createWorld(1000)
  await assert.rejects(run(AbortSignal.abort()), { name: 'AbortError' })
  assert.equal(calls.length, 1)
})

it('deletes the oldest until the log takes no more than it may', async () => {
  const { run, shrunk } = createWorld(0, { bytes: 1550 })
  await run()
  assert.equal(shrunk(), 6)
})

it('takes no more than a fifth of a disk that others fill', async () => {
  const { run, shrunk } = createWorld(0, { bytes: 1000, free: 500, maxBytes: 1e9 })
  await run()
  // 300 of 1,500 would be a fifth before anything is deleted, and less once it is.
  assert.equal(shrunk(), 9)
})

it('ends when there is nothing left to delete', async () => {
  const { run, shrunk } = createWorld(0, { bytes: 300, maxBytes: -1 })
  await run()
  assert.equal(shrunk(), 3)
})

it('deletes nothing because of build output, and counts it only where there is too much of all, and seldom', async () => {
  const small = createWorld(0, { bytes: 900, built: 900 })
  await small.run()
  assert.deepEqual([small.shrunk(), small.counted()], [0, 0])
  const large = createWorld(0, { bytes: 9550, built: 8000 })
  for (let n = 0; n < 3; n++) await large.run()
  assert.deepEqual([large.shrunk(), large.counted()], [6, 1])
})
