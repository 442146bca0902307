import assert from 'node:assert/strict'
import { it } from 'node:test'
import { silentLog } from '#test/support/silent-log.ts'
import { createLogCleanup } from './log-cleanup.ts'

const NOW = 1_700_000_000_000
const DAY = 86_400_000

function createWorld(left: number) {
  const calls: (readonly [number, number])[] = []
  const job = createLogCleanup({
    store: {
      async prune(createdBefore, limit) {
        calls.push([createdBefore, limit])
        const count = Math.min(limit, left)
        left -= count
        return count
      },
    },
    clock: { now: () => NOW },
    step: 10,
    pauseMs: 0,
  })
  const run = (signal = new AbortController().signal) =>
    job.run({}, { id: 'job_1', attempt: 1, signal, log: silentLog })
  return { job, calls, run }
}

it('prunes what is older than three days, step by step, until nothing is left', async () => {
  const { job, calls, run } = createWorld(25)
  await run()
  assert.deepEqual(calls, Array(3).fill([NOW - 3 * DAY, 10]))
  assert.equal(job.kind, 'logs.clean-up')
  assert.ok(job.every !== undefined && job.every <= 3_600_000)
})

it('stops between two steps when it is told to', async () => {
  const { calls, run } = createWorld(1000)
  await assert.rejects(run(AbortSignal.abort()), { name: 'AbortError' })
  assert.equal(calls.length, 1)
})
