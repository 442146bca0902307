import assert from 'node:assert/strict'
import { it } from 'node:test'
import { DAY } from '#contract/time.ts'
import { clockOf } from '#test/support/clock.ts'
import { silentLog } from '#test/support/silent-log.ts'
import { createTrafficCleanup } from './traffic-cleanup.ts'

const NOW = 1_700_000_000_000

function createWorld({ left = 0, broken = false } = {}) {
  const calls: string[] = []
  const job = createTrafficCleanup({
    store: {
      async rotate(of, step, now, before) {
        calls.push(`rotate ${of} ${step} ${(now - NOW) / DAY} ${(NOW - before) / DAY}`)
        if (broken) throw new Error('cannot be rotated')
      },
      async prune(of, step, before, limit) {
        calls.push(`prune ${of} ${step} ${(NOW - before) / DAY}`)
        const count = Math.min(limit, left)
        left -= count
        return count
      },
    },
    clock: clockOf(() => NOW),
  })
  const { signal } = new AbortController()
  return { calls, run: () => job.run({}, { id: 'job_1', attempt: 1, signal, log: silentLog }) }
}

const EVERYTHING = [
  ['all minute', 2],
  ['all hour', 60],
  ['all day', 730],
  ['paths hour', 2],
  ['paths day', 60],
] as const

it('rotates the tables of each kind of counts before it looks for rows', async () => {
  const { calls, run } = createWorld()
  await run()
  assert.deepEqual(
    calls,
    EVERYTHING.flatMap(([what, days]) => [`rotate ${what} 0 ${days}`, `prune ${what} ${days}`]),
  )
})

it('prunes step by step until nothing is left', async () => {
  const { calls, run } = createWorld({ left: 1200 })
  await run()
  assert.equal(calls.filter((call) => call === 'prune all minute 2').length, 3)
})

it('prunes although tables can be neither made nor dropped, and tells of it', async () => {
  const { calls, run } = createWorld({ broken: true })
  await assert.rejects(run(), /cannot be rotated/)
  assert.equal(calls.filter((call) => call.startsWith('prune')).length, EVERYTHING.length)
})
