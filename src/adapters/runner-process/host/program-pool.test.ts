import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MINUTE, SECOND } from '#contract/time.ts'
import type { LoadedProgram } from '#core/instance/instance.ts'
import { clockOf } from '#test/support/clock.ts'
import { silentLog } from '#test/support/silent-log.ts'
import type { LiveInstance } from './live-instance.ts'
import { ProgramPool } from './program-pool.ts'

/** A pool that is to keep one instance, each of which listens at once, after some that just end, and ends when the test says so. */
function createWorld({ ending = 0 } = {}) {
  let now = MINUTE
  let starts = 0
  let end = () => {}
  const clock = clockOf(() => now)
  const loops: string[] = []
  const loaded = { program: { shape: 'command' }, scale: { min: 1, max: 1 } } as LoadedProgram
  const pool = new ProgramPool(
    { deploymentId: 'dpl_1', program: 'server' },
    {
      load: async () => loaded,
      async start() {
        const gone = Promise.withResolvers<Awaited<LiveInstance['gone']>>()
        end = () => gone.resolve({ reason: 'It ended', expected: true, finished: true })
        const id = `i${++starts}`
        const started = Promise.resolve(starts > ending ? { listening: true } : { finished: 0 })
        if (starts <= ending) gone.resolve({ reason: 'It ended', expected: true, finished: false })
        return {
          id,
          gone: gone.promise,
          started,
          readyAt: now,
          loaded,
          idle: false,
          servesFor: () => false,
        } as unknown as LiveInstance
      },
      ...{ added() {}, removed() {}, nextList: () => 1, processor: () => ({ cores: 1, idleMs: 0 }) },
      onCrashLoop: (_ref, reason) => void loops.push(reason),
      ...{ clock, logger: silentLog },
      limits: { concurrency: 1, commandConcurrency: 1, idleMs: MINUTE, commandIdleMs: MINUTE, graceMs: 0 },
    },
  )
  return {
    ...{ pool, loops },
    starts: () => starts,
    /** The instance that runs ends after this time; what comes of that happens. */
    async endAfter(ms: number) {
      now += ms
      end()
      await new Promise(setImmediate)
    },
    async pass(ms: number) {
      now += ms
      pool.sweep()
      await new Promise(setImmediate)
    },
  }
}

test('a server that ends without fault as soon as it has begun is kept with growing pauses', async () => {
  const { pool, loops, starts, endAfter, pass } = createWorld()
  pool.rescale({ min: 1, max: 1 })
  await pass(0)
  await endAfter(10)
  assert.equal(starts(), 2, 'it may do so once in a while')
  for (const [n, pause] of [100, 200, 400, 800].entries()) {
    await endAfter(10)
    await pass(pause - 1)
    assert.equal(starts(), n + 2)
    await pass(1)
    assert.equal(starts(), n + 3)
  }
  await endAfter(2 * MINUTE)
  assert.equal(starts(), 7, 'one that has run for long is started again at once')
  for (let n = 0; n < 20; n++) {
    await endAfter(10)
    await pass(MINUTE)
  }
  assert.equal(starts(), 27, 'no pause is longer than a minute')
  assert.deepEqual(loops, [])
})

test('during such a pause, it is started for whoever waits for it', async () => {
  const { pool, starts, endAfter, pass } = createWorld()
  pool.rescale({ min: 1, max: 1 })
  await pass(0)
  await endAfter(10)
  for (let n = 0; n < 5; n++) {
    await endAfter(10)
    await pass(n < 4 ? MINUTE : SECOND)
  }
  assert.equal(starts(), 6)
  pool.want({ send() {}, hear() {}, end: 0, examined: new Set() }, 1)
  await pass(0)
  assert.equal(starts(), 7)
})

test('a server that has ended without listening is kept again once it has listened', async () => {
  const { pool, starts, endAfter, pass } = createWorld({ ending: 1 })
  pool.rescale({ min: 1, max: 1 })
  for (let n = 0; n < 3; n++) await pass(MINUTE)
  assert.equal(starts(), 1, 'one that has done its work is not started again')
  pool.want({ send() {}, hear() {}, end: 0, examined: new Set() }, 1)
  await pass(0)
  assert.equal(starts(), 2)
  await endAfter(MINUTE)
  await pass(MINUTE)
  assert.equal(starts(), 3)
})
