import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestClock } from '#test/support/clock.ts'
import { createGapBus } from '#test/support/gap-bus.ts'
import { createQuotaSettings } from './quota-settings.ts'

test('a change whose message was lost holds after the gap', async () => {
  const kept = new Map<string, string>()
  const settings = {
    get: async (key: string) => kept.get(key),
    set: async (key: string, value: string) => void kept.set(key, value),
  }
  const { bus, announceGap } = createGapBus()
  const locks = { take: async () => {} }
  const parts: Omit<Parameters<typeof createQuotaSettings>[0], 'bus'> = {
    ...{ settings, clock: createTestClock() },
    transact: (work) => work({ settings, locks }),
  }
  const here = createQuotaSettings({ ...parts, bus })
  const elsewhere = createQuotaSettings({ ...parts, bus: createGapBus().bus })
  assert.deepEqual(await here.ownOf('account'), {})
  await elsewhere.changeAccount('account', { instances: 3 })
  assert.deepEqual(await here.ownOf('account'), {})
  announceGap()
  assert.deepEqual(await here.ownOf('account'), { instances: 3 })
})
