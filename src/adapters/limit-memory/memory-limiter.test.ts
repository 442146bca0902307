import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { HOUR, MINUTE } from '#contract/time.ts'
import { clockOf } from '#test/support/clock.ts'
import { createMemoryLimiter } from './memory-limiter.ts'

const START = Date.UTC(2031, 1, 3)
const stopTime = (t: TestContext) => t.mock.timers.enable({ apis: ['Date', 'setTimeout'], now: START })

test('a window lasts from the first request, whatever comes after it', async (t) => {
  stopTime(t)
  const limiter = createMemoryLimiter()
  const window = { points: 2, ms: MINUTE }
  const take = () => limiter.take('ann', window)
  assert.deepEqual(await take(), { allowed: true, remaining: 1, resetAt: START + MINUTE })
  t.mock.timers.tick(MINUTE - 1)
  assert.deepEqual(await take(), { allowed: true, remaining: 0, resetAt: START + MINUTE })
  assert.deepEqual(await take(), { allowed: false, remaining: 0, resetAt: START + MINUTE })
  t.mock.timers.tick(1)
  assert.deepEqual(await take(), { allowed: true, remaining: 1, resetAt: START + 2 * MINUTE })
})

test('windows may be shorter than a second', async (t) => {
  stopTime(t)
  const limiter = createMemoryLimiter()
  const window = { points: 1, ms: 33 }
  assert.deepEqual(await limiter.take('ann', window), { allowed: true, remaining: 0, resetAt: START + 33 })
  t.mock.timers.tick(32)
  assert.equal((await limiter.take('ann', window)).allowed, false)
  t.mock.timers.tick(1)
  assert.equal((await limiter.take('ann', window)).allowed, true)
})

test('tells the reset in the time of the given clock', async (t) => {
  stopTime(t)
  const limiter = createMemoryLimiter({ clock: clockOf(() => START + HOUR) })
  const { resetAt } = await limiter.take('ann', { points: 1, ms: MINUTE })
  assert.equal(resetAt, START + HOUR + MINUTE)
})

test('keeps nothing of keys whose window has ended', async (t) => {
  stopTime(t)
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const limiter = createMemoryLimiter()
  const heap = () => {
    collect()
    return process.memoryUsage().heapUsed
  }
  const fill = async (round: number) => {
    for (let i = 0; i < 5000; i++)
      await limiter.take(`${round} ${i} ${'x'.repeat(1000)}`, { points: 1, ms: MINUTE })
  }
  await fill(0)
  t.mock.timers.tick(MINUTE)
  const empty = heap()
  await fill(1)
  const full = heap()
  t.mock.timers.tick(MINUTE)
  const emptyAgain = heap()
  assert.ok(full - empty > 2e6, `${full - empty}`)
  assert.ok(emptyAgain - empty < 1e6, `${emptyAgain - empty}`)
})

test('a clock that was set back keeps nobody out, or tells them to come again, for longer than a window', async (t) => {
  const now = Date.now()
  const limiter = createMemoryLimiter()
  const window = { points: 1, ms: MINUTE }
  await limiter.take('ann', window)
  t.mock.method(Date, 'now', () => now - 24 * HOUR)
  const { allowed, resetAt } = await limiter.take('ann', window)
  assert.equal(allowed, false)
  assert.ok(resetAt <= now - 24 * HOUR + MINUTE)
})
