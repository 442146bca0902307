import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { WeightedCache } from './weighted-cache.ts'

const item = (name: string) => ({ name, used: false })

test('what was used since it was last looked at outlives what was not', () => {
  const cache = new WeightedCache<ReturnType<typeof item>>(3, () => {})
  for (const name of ['a', 'b', 'c']) cache.set(name, item(name), 1)
  cache.get('a')
  cache.set('d', item('d'), 1)
  assert.deepEqual([...cache.keys()].sort(), ['a', 'c', 'd'])
})

test('a value over the budget is not kept, and takes its predecessor with it', () => {
  const released: string[] = []
  const cache = new WeightedCache<ReturnType<typeof item>>(3, ({ name }) => released.push(name))
  cache.set('a', item('old'), 1)
  assert.equal(cache.set('a', item('new'), 4), false)
  assert.equal(cache.get('a'), undefined)
  assert.deepEqual(released, ['old'])
})

const step = fc.record({
  kind: fc.constantFrom('set', 'get', 'delete'),
  key: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
  weight: fc.nat(12),
})

test('the weight is that of what is kept, never over the budget, and all that leaves is released once', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const released = new Map<object, number>()
      const cache = new WeightedCache<{ used: boolean; weight: number }>(20, (value) =>
        released.set(value, (released.get(value) ?? 0) + 1),
      )
      const kept = new Set<{ used: boolean; weight: number }>()
      for (const { kind, key, weight } of steps) {
        if (kind === 'get') cache.get(key)
        else if (kind === 'delete') cache.delete(key)
        else {
          const value = { used: false, weight }
          if (cache.set(key, value, weight)) kept.add(value)
        }
        const alive = [...kept].filter((value) => !released.has(value))
        assert.equal(
          cache.weight,
          alive.reduce((sum, value) => sum + value.weight, 0),
        )
        assert.ok(cache.weight <= 20)
      }
      for (const count of released.values()) assert.equal(count, 1)
    }),
  )
})
