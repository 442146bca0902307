import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import type { Redis } from 'ioredis'
import { DAY, MINUTE } from '#contract/time.ts'
import { clockOf } from '#test/support/clock.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'
import { startRedis, withoutRedis } from '#test/support/redis.ts'
import { createRedisLimiter } from './redis-limiter.ts'

// Unlike `once` of node:events it does not mind the errors that come before.
const turned = (redis: Redis, event: 'close' | 'ready') =>
  new Promise<void>((resolve) => redis.once(event, () => resolve()))

const window = { points: 2, ms: MINUTE }

test('Redis limiter', { skip: withoutRedis }, async (t) => {
  const server = await startRedis()
  t.after(server.stop)

  await t.test('a count ends with its window', async () => {
    const redis = server.connect()
    await redis.ping()
    const limiter = createRedisLimiter({ redis, log: createRecordingLog() })
    for (const ms of [MINUTE, DAY, 1500, 1]) {
      for (let i = 0; i < 3; i++) await limiter.take('ann', { points: 2, ms })
      const left = await redis.pttl(`aloft:limit:2:${ms}:ann`)
      assert.ok(left > 0 && left <= Math.max(1000, ms + 500), `${ms}: ${left}`)
    }
  })

  await t.test(
    'while Redis is down requests pass, with one warning a minute, and are counted after it',
    async () => {
      const log = createRecordingLog()
      const time = { now: Date.now() }
      const redis = server.connect({ retryStrategy: () => 20 })
      const limiter = createRedisLimiter({ redis, log, clock: clockOf(() => time.now) })
      const take = () => limiter.take('bob', window)
      await redis.ping()
      for (let i = 0; i < 2; i++) await take()
      assert.equal((await take()).allowed, false)

      const closed = turned(redis, 'close')
      await server.kill()
      await closed
      const passed = await Promise.all(Array.from({ length: 100 }, take))
      for (const taken of passed)
        assert.deepEqual(taken, { allowed: true, remaining: 2, resetAt: time.now + MINUTE })
      assert.equal(log.entries.length, 1)
      assert.equal(log.entries[0]?.level, 'warn')
      time.now += MINUTE - 1
      await take()
      assert.equal(log.entries.length, 1)
      time.now += 1
      await take()
      assert.equal(log.entries.length, 2)

      const ready = turned(redis, 'ready')
      await server.restart()
      await ready
      assert.deepEqual([(await take()).remaining, (await take()).remaining], [1, 0])
      assert.equal((await take()).allowed, false)
    },
  )

  await t.test('a count that a clock set back would keep for a day is begun anew', async () => {
    const redis = server.connect()
    await redis.ping()
    const limiter = createRedisLimiter({ redis, log: createRecordingLog() })
    for (let i = 0; i < 3; i++) await limiter.take('eve', window)
    assert.equal((await limiter.take('eve', window)).allowed, false)
    await redis.pexpire(`aloft:limit:2:${MINUTE}:eve`, DAY)
    assert.deepEqual((await limiter.take('eve', window)).remaining, 1)
    assert.ok((await redis.pttl(`aloft:limit:2:${MINUTE}:eve`)) <= MINUTE)
  })

  await t.test('while Redis does not answer requests pass', async () => {
    const log = createRecordingLog()
    const redis = server.connect()
    await redis.ping()
    const limiter = createRedisLimiter({ redis, log, timeout: 10 })
    server.freeze()
    try {
      assert.equal((await limiter.take('cyd', { points: 0, ms: MINUTE })).allowed, true)
    } finally {
      server.thaw()
    }
    assert.equal(log.entries.length, 1)
  })

  await t.test('when Redis answers with an error requests pass', async () => {
    const log = createRecordingLog()
    const redis = server.connect()
    await redis.lpush('aloft:limit:2:60000:dan', 'not a number')
    const { allowed } = await createRedisLimiter({ redis, log }).take('dan', window)
    assert.equal(allowed, true)
    assert.match(inspect(log.entries, { depth: 9 }), /WRONGTYPE/)
  })
})
