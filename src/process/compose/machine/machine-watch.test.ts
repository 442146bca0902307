import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Machine } from '#core/machine/machine.ts'
import { createTestClock } from '#test/support/clock.ts'
import { silentLog } from '#test/support/silent-log.ts'
import { createMachineWatch } from './machine-watch.ts'

const machine = (name: string, heardAgo: number): Machine => ({
  ...{
    name,
    heardAgo,
    origin: 'iad1',
    role: 'work',
    version: '1',
    address: undefined,
    publicAddresses: [],
    load: 0,
  },
  ...{ memory: { free: 1, total: 1 }, disk: { free: 1, total: 1 }, startedAt: 0, isDraining: false },
})

test('silence counts, but not that of all while the database was away', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const clock = createTestClock()
  let listed: readonly Machine[] | Error = []
  let looked = Promise.withResolvers<void>()
  const store = {
    list: async () => {
      queueMicrotask(() => setImmediate(() => looked.resolve()))
      if (listed instanceof Error) throw listed
      return listed
    },
  }
  const watch = createMachineWatch(
    { ...store, removed: async () => new Set<string>() },
    { clock, log: silentLog },
  )
  t.after(() => watch.stop())
  const look = async (next: typeof listed) => {
    listed = next
    looked = Promise.withResolvers()
    t.mock.timers.tick(1000)
    clock.advance(1000)
    await looked.promise
    return watch.alive().map(({ name }) => name)
  }
  assert.equal(watch.origins(), undefined)
  watch.start()
  await looked.promise
  assert.deepEqual(await look([machine('a', 0), machine('b', 9000)]), ['a'])
  assert.deepEqual(await look(new Error('away')), ['a'], 'what was known last counts')
  assert.deepEqual(await look([machine('a', 60_000), machine('b', 60_000)]), ['a'], 'it had nobody to tell')
  clock.advance(5000)
  assert.deepEqual(await look([machine('a', 65_000), machine('b', 500)]), ['b'])
  await look([{ ...machine('a', 65_000), origin: 'hnd1' }, machine('b', 500)])
  assert.deepEqual(
    watch.origins(),
    new Set(['hnd1', 'iad1']),
    'a region is not gone because its machines are lost',
  )
})
