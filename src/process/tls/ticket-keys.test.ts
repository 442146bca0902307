import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HOUR } from '#contract/time.ts'
import type { SettingStore } from '#core/setting/setting-store.ts'
import { createTestClock } from '#test/support/clock.ts'
import { silentLog } from '#test/support/silent-log.ts'
import { openTicketKeys } from './ticket-keys.ts'

function memorySettings() {
  const values = new Map<string, string>()
  const settings: SettingStore = {
    get: async (key) => values.get(key),
    set: async (key, value) => void values.set(key, value),
    async ensure(key, value) {
      if (!values.has(key)) values.set(key, value)
      return values.get(key) as string
    },
    take: async (key, value) => values.get(key) === value && values.delete(key),
  }
  return { values, settings }
}

test('keys change every twelve hours in all processes alike; the one before is still known, older ones are gone', async () => {
  const { values, settings } = memorySettings()
  const clock = createTestClock()
  const vault = { seal: (text: string) => text, open: (text: string) => text }
  const parts = { clock, log: silentLog, stores: { settings }, vault } as unknown as Parameters<
    typeof openTicketKeys
  >[0]
  const [one, two] = [await openTicketKeys(parts), await openTicketKeys(parts)]
  const names = ({ keys }: typeof one) => keys().map(({ name }) => name.toString('hex'))
  const [first] = names(one)
  assert.deepEqual(names(two), [first])

  clock.advance(12 * HOUR)
  await Promise.all([one.look(), two.look()])
  const [second] = names(one)
  assert.notEqual(second, first)
  assert.deepEqual(names(one), [second, first])
  assert.deepEqual(names(two), [second, first])

  clock.advance(12 * HOUR)
  await Promise.all([one.look(), two.look()])
  assert.equal(names(one)[1], second)
  assert.deepEqual(names(two), names(one))
  assert.equal(values.size, 2)

  // Everything was off for ten days.
  clock.advance(10 * 24 * HOUR)
  await one.look()
  assert.equal(values.size, 1)
  one.close()
  two.close()
})
