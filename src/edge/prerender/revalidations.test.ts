import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMemoryBus } from '#adapters/memory/memory-bus.ts'
import type { PrerenderCache } from '#core/ports/prerender-cache.ts'
import { systemClock } from '#core/ports/system-clock.ts'
import { RevalidatedTags, type Revalidation } from '#core/site/revalidation.ts'
import { silentLog } from '#test/support/silent-log.ts'
import { PrerenderMemory } from './prerender-memory.ts'
import { Revalidations } from './revalidations.ts'

test('what a program says with every answer is written down together', async () => {
  const written: Revalidation[] = []
  const tags = new RevalidatedTags()
  const gate = Promise.withResolvers<void>()
  let reads = 0
  const cache = {
    async revalidate(_: string, revalidation: Revalidation) {
      await gate.promise
      written.push(revalidation)
      tags.add(revalidation)
    },
    async revalidations() {
      reads++
      return tags
    },
  } as Partial<PrerenderCache> as PrerenderCache
  const memory = new PrerenderMemory(cache, systemClock, silentLog, 1024)
  const bus = createMemoryBus({ log: silentLog })
  const revalidations = new Revalidations({ cache, memory, bus, clock: systemClock, log: silentLog })
  const madeAt = systemClock.now() - 1
  const taken = Array.from({ length: 500 }, (_, n) =>
    revalidations.take('d', n % 2 === 0 ? `tag=t${n}` : `expire=60&tag=t${n}`),
  )
  const other = revalidations.take('other', 'tag=t0')
  gate.resolve()
  await Promise.all([...taken, other])
  assert.ok(written.length <= 8, `${written.length} were written for ${taken.length}`)
  assert.ok(reads <= 8, `all was read ${reads} times`)
  for (let n = 0; n < taken.length; n++)
    assert.equal(revalidations.stateOf('d', `t${n}`, madeAt)?.kind, n % 2 === 0 ? 'expired' : 'stale')
  assert.equal(revalidations.stateOf('d', 'another', madeAt), undefined)
  revalidations.close()
})

test('a program that says more than is kept while the last is written down has everything made anew', async () => {
  const written: Revalidation[] = []
  const gate = Promise.withResolvers<void>()
  const tags = new RevalidatedTags()
  const cache = {
    async revalidate(_: string, revalidation: Revalidation) {
      await gate.promise
      written.push(revalidation)
      tags.add(revalidation)
    },
    revalidations: async () => tags,
  } as Partial<PrerenderCache> as PrerenderCache
  const memory = new PrerenderMemory(cache, systemClock, silentLog, 1024)
  const bus = createMemoryBus({ log: silentLog })
  const revalidations = new Revalidations({ cache, memory, bus, clock: systemClock, log: silentLog })
  const madeAt = systemClock.now() - 1
  const first = revalidations.take('d', 'tag=first')
  await new Promise(setImmediate)
  // As many as once were more than a function takes arguments.
  const taken = Array.from({ length: 20 }, () => revalidations.take('d', 'tag=a,'.repeat(10_900)))
  gate.resolve()
  await Promise.all([first, ...taken])
  assert.ok(written.every((each) => each.tags.length <= 1))
  assert.equal(revalidations.stateOf('d', 'another', madeAt)?.kind, 'expired')
  assert.equal(revalidations.stateOf('other', 'another', madeAt), undefined)
  revalidations.close()
})

test('a purge of one deployment leaves what is known of others as it is', async () => {
  const cache = {
    revalidations: async () => new RevalidatedTags(),
  } as Partial<PrerenderCache> as PrerenderCache
  const memory = new PrerenderMemory(cache, systemClock, silentLog, 1024)
  const bus = createMemoryBus({ log: silentLog })
  const revalidations = new Revalidations({ cache, memory, bus, clock: systemClock, log: silentLog })
  await Promise.all([revalidations.load('mine'), revalidations.load('purged')])
  const [mine, purged] = [revalidations.noneOf('mine'), revalidations.noneOf('purged')]
  revalidations.tell('purged')
  // The bus may take a moment.
  while (purged?.isLive) await new Promise(setImmediate)
  assert.equal(mine?.isLive, true)
  await revalidations.pending('purged')
  assert.equal(revalidations.noneOf('mine'), mine)
  assert.notEqual(revalidations.noneOf('purged'), purged)
  assert.equal(revalidations.noneOf('purged')?.isLive, true)
  revalidations.close()
})
