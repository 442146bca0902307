import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMemoryBus } from '#adapters/memory/memory-bus.ts'
import type { PrerenderCache } from '#core/ports/prerender-cache.ts'
import { REVALIDATIONS_TOPIC, RevalidatedTags, type Revalidation } from '#core/site/revalidation.ts'
import { clockOf } from '#test/support/clock.ts'
import { silentLog } from '#test/support/silent-log.ts'
import { createRevalidate } from './revalidate.ts'

test('what a program says after its answer is kept one after another, and told', async () => {
  const kept: [string, Revalidation][] = []
  const steps: (() => void)[] = []
  const prerenders: PrerenderCache = {
    get: async () => undefined,
    put: async () => {},
    forget: async () => {},
    revalidations: async () => new RevalidatedTags(),
    revalidate: async (id, revalidation, tell) => {
      kept.push([id, revalidation])
      await new Promise<void>((resolve) => steps.push(resolve))
      tell?.()
    },
  }
  const bus = createMemoryBus({ log: silentLog })
  const told: string[] = []
  const rounds: (() => void)[] = []
  bus.subscribe(REVALIDATIONS_TOPIC, (id) => {
    told.push(id)
    rounds.shift()?.()
  })
  const round = () => new Promise<void>((resolve) => rounds.push(resolve))
  const revalidate = createRevalidate({ prerenders, bus, clock: clockOf(() => 7), log: silentLog })
  revalidate('dpl_1', 'tag=a')
  for (let i = 0; i < 10_000; i++) revalidate('dpl_1', `tag=${i}`)
  assert.deepEqual(kept, [['dpl_1', { tags: ['a'], at: 7 }]])
  const first = round()
  steps.shift()?.()
  await first
  while (steps.length === 0) await new Promise(setImmediate)
  assert.ok(kept.length <= 2)
  const second = round()
  for (; steps.length > 0; await new Promise(setImmediate)) steps.shift()?.()
  await second
  assert.deepEqual(told, ['dpl_1', 'dpl_1'])
  assert.ok(kept.slice(1).some(([, { tags }]) => tags.includes('*')))
})

test('what is said while something else cannot be kept is kept', async () => {
  const kept: string[] = []
  const first = Promise.withResolvers<void>()
  const prerenders = {
    async revalidate(_id, { tags }, tell) {
      if (tags.includes('a')) await first.promise
      kept.push(...tags)
      tell?.()
    },
  } as Partial<PrerenderCache> as PrerenderCache
  const bus = createMemoryBus({ log: silentLog })
  const told = new Promise<string>((resolve) => bus.subscribe(REVALIDATIONS_TOPIC, resolve))
  const revalidate = createRevalidate({ prerenders, bus, clock: clockOf(() => 7), log: silentLog })
  revalidate('dpl_1', 'tag=a')
  revalidate('dpl_1', 'tag=b')
  first.reject(new Error('the database is away'))
  assert.equal(await told, 'dpl_1')
  assert.deepEqual(kept, ['b'])
  const again = new Promise<string>((resolve) => bus.subscribe(REVALIDATIONS_TOPIC, resolve))
  revalidate('dpl_1', 'tag=c')
  assert.equal(await again, 'dpl_1')
})
