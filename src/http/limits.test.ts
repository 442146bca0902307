import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDeployment, listFiles } from '#contract/api/deployment.ts'
import type { Window } from '#contract/limit/limits.ts'
import { DAY, MINUTE } from '#contract/time.ts'
import type { RateLimiter } from '#core/ports/rate-limiter.ts'
import { createLimits } from './limits.ts'

/** Counts without time passing. */
function counting(): RateLimiter {
  const counts = new Map<string, number>()
  return {
    take(key: string, { points }: Window, by = 1) {
      const count = (counts.get(key) ?? 0) + by
      counts.set(key, count)
      return { allowed: count <= points, remaining: Math.max(0, points - count), resetAt: 0 }
    },
  }
}

const MB = 1024 * 1024

test('a large body and a large answer cost as much as many small ones', async () => {
  const limits = createLimits(counting(), undefined)
  const left = async () => (await limits.take(createDeployment, 'a', 'enterprise')).remaining
  assert.equal(await left(), 59)
  await limits.charge(createDeployment, 'a', 'enterprise', 0.4 * MB)
  assert.equal(await left(), 58)
  await limits.charge(createDeployment, 'a', 'enterprise', 4.5 * MB)
  assert.equal(await left(), 48)
  // The largest that is accepted empties the allowance of its minute, and the next one waits.
  await limits.charge(createDeployment, 'a', 'enterprise', 64 * MB)
  assert.equal((await limits.take(createDeployment, 'a', 'enterprise')).allowed, false)
  assert.equal((await limits.take(createDeployment, 'b', 'enterprise')).remaining, 59)
  await limits.charge(listFiles, 'b', 'enterprise', 9.8 * MB)
  assert.equal((await limits.take(listFiles, 'b', 'enterprise')).remaining, 480)
})

test('how many deployments there may be in a day does not depend on their size', async () => {
  const limiter = counting()
  const limits = createLimits(limiter, undefined)
  await limits.charge(createDeployment, 'a', 'free', 20 * MB)
  const day = await limiter.take(`create-deployment|a|${DAY}`, { points: 100, ms: DAY })
  const minute = await limiter.take(`create-deployment|a|${MINUTE}`, { points: 60, ms: MINUTE })
  assert.deepEqual([day.remaining, minute.remaining], [99, 19])
})

test('a limit that the operator set counts requests alone', async () => {
  const limits = createLimits(counting(), 10)
  await limits.charge(createDeployment, 'a', 'enterprise', 64 * MB)
  assert.equal((await limits.take(createDeployment, 'a', 'enterprise')).remaining, 9)
})
