import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createIpcLimiter } from '#adapters/limit-ipc/ipc-limiter.ts'
import { serveIpcLimiter } from '#adapters/limit-ipc/serve-ipc-limiter.ts'
import { createMemoryLimiter } from '#adapters/limit-memory/memory-limiter.ts'
import { createRedisLimiter } from '#adapters/limit-redis/redis-limiter.ts'
import { DAY, MINUTE } from '#contract/time.ts'
import type { RateLimiter } from '#core/ports/rate-limiter.ts'
import { createChannelPair } from '#test/support/process/channel-pair.ts'
import { forkTaker, type Taker } from '#test/support/process/takers.ts'
import { startRedis, withoutRedis } from '#test/support/redis.ts'
import { silentLog } from '#test/support/silent-log.ts'

interface Opened {
  readonly limiter: RateLimiter
  /** Starts another process that shares the counts. */
  readonly fork?: () => Promise<Taker>
  readonly close?: () => Promise<void>
}

// The suite is about counting: on a busy machine nothing may pass for want of an answer.
const timeout = 60_000

interface Adapter {
  readonly skip: string | false
  readonly acrossProcesses: boolean
  open(): Promise<Opened>
}

const ADAPTERS: Record<string, Adapter> = {
  'limit-memory': {
    skip: false,
    acrossProcesses: false,
    open: async () => ({ limiter: createMemoryLimiter() }),
  },
  'limit-ipc': {
    skip: false,
    acrossProcesses: true,
    async open() {
      const counter = createMemoryLimiter()
      const [client, server] = createChannelPair()
      serveIpcLimiter(server, counter)
      return {
        limiter: createIpcLimiter(client, { timeout }),
        fork: () => forkTaker({ onChannel: (channel) => serveIpcLimiter(channel, counter) }),
      }
    },
  },
  'limit-redis': {
    skip: withoutRedis,
    acrossProcesses: true,
    async open() {
      const server = await startRedis()
      const redis = server.connect()
      await redis.ping()
      return {
        limiter: createRedisLimiter({ redis, log: silentLog, timeout }),
        fork: () => forkTaker({ socket: server.socket }),
        close: server.stop,
      }
    },
  },
}

for (const [name, { skip, acrossProcesses, open }] of Object.entries(ADAPTERS))
  describe(name, { skip }, () => {
    let opened: Opened
    let limiter: RateLimiter
    let keys = 0
    const newKey = () => `user ${keys++}:réad\n`

    before(async () => {
      opened = await open()
      limiter = opened.limiter
    })
    after(() => opened?.close?.())

    test('counts down to none and refuses from there on', async () => {
      const key = newKey()
      const seen: [boolean, number][] = []
      for (let i = 0; i < 5; i++) {
        const { allowed, remaining } = await limiter.take(key, { points: 3, ms: MINUTE })
        seen.push([allowed, remaining])
      }
      assert.deepEqual(seen, [
        [true, 2],
        [true, 1],
        [true, 0],
        [false, 0],
        [false, 0],
      ])
    })

    test('tells when the window starts anew, allowed or not', async () => {
      const key = newKey()
      const start = Date.now()
      for (let i = 0; i < 3; i++) {
        const { resetAt } = await limiter.take(key, { points: 1, ms: DAY })
        assert.ok(Number.isInteger(resetAt))
        assert.ok(resetAt <= Date.now() + DAY, `${resetAt}`)
        assert.ok(resetAt > start + DAY - MINUTE, `${resetAt}`)
      }
    })

    test('counts each key for itself', async () => {
      const window = { points: 1, ms: MINUTE }
      const [one, two] = [newKey(), newKey()]
      assert.equal((await limiter.take(one, window)).allowed, true)
      assert.equal((await limiter.take(two, window)).allowed, true)
      assert.equal((await limiter.take(one, window)).allowed, false)
    })

    test('counts one key in several windows, each for itself', async () => {
      const key = newKey()
      const minute = { points: 1, ms: MINUTE }
      const day = { points: 2, ms: DAY }
      const more = { points: 3, ms: MINUTE }
      assert.equal((await limiter.take(key, minute)).remaining, 0)
      assert.equal((await limiter.take(key, day)).remaining, 1)
      assert.equal((await limiter.take(key, more)).remaining, 2)
      assert.equal((await limiter.take(key, { ...minute })).allowed, false)
      assert.equal((await limiter.take(key, { ...day })).allowed, true)
    })

    test('refuses everything where there are no points', async () => {
      const { allowed, remaining } = await limiter.take(newKey(), { points: 0, ms: MINUTE })
      assert.deepEqual([allowed, remaining], [false, 0])
    })

    test('allows exactly the points to requests made at once', async () => {
      const key = newKey()
      const taken = await Promise.all(
        Array.from({ length: 1000 }, () => limiter.take(key, { points: 300, ms: MINUTE })),
      )
      assert.equal(taken.filter(({ allowed }) => allowed).length, 300)
      assert.equal(
        new Set(taken.filter(({ allowed }) => allowed).map(({ remaining }) => remaining)).size,
        300,
      )
    })

    test('refuses a window that cannot be', async () => {
      const wrong = [
        { points: -1, ms: MINUTE },
        { points: 0.5, ms: MINUTE },
        { points: Number.NaN, ms: MINUTE },
        { points: 1, ms: 0 },
        { points: 1, ms: 1.5 },
        { points: 1, ms: 30 * DAY },
      ]
      for (const window of wrong)
        await assert.rejects(async () => limiter.take(newKey(), window), RangeError, JSON.stringify(window))
    })

    if (acrossProcesses)
      test('several processes together are never allowed more than the points', async () => {
        const takers = await Promise.all([opened.fork?.(), opened.fork?.()])
        const key = newKey()
        const window = { points: 500, ms: MINUTE }
        const own = Promise.all(Array.from({ length: 100 }, () => limiter.take(key, window)))
        const others = await Promise.all(
          takers.map((taker) => taker?.take(key, window, 1000) ?? assert.fail()),
        )
        const ownAllowed = (await own).filter(({ allowed }) => allowed).length
        assert.equal(
          others.reduce((sum, allowed) => sum + allowed, ownAllowed),
          500,
        )
        await Promise.all(takers.map((taker) => taker?.end()))
      })
  })
