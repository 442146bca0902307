import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HostHolder } from '#core/alias/host-store.ts'
import { createIsServed } from './is-served.ts'

test('names that somebody holds, wildcards and the API are of this installation', async () => {
  const held = new Set(['a.example.com', '*.shop.example'])
  const asked: string[] = []
  let now = 0
  const isServed = createIsServed(
    { domain: 'example.com', apiHosts: ['localhost', 'api.example.com'] },
    {
      async holder(host) {
        asked.push(host)
        return held.has(host)
          ? ({ kind: 'deployment', ownerId: 'o', deploymentId: 'd' } as HostHolder)
          : undefined
      },
    },
    () => now,
  )
  assert.equal(await isServed('a.example.com'), true)
  assert.equal(await isServed('b.shop.example'), true)
  assert.equal(await isServed('api.example.com'), true)
  assert.equal(await isServed('api-iad1.example.com'), true)
  assert.equal(await isServed('localhost'), false)
  assert.equal(await isServed('later.example.com'), false)
  held.add('later.example.com')
  const before = asked.length
  assert.equal(await isServed('later.example.com'), false)
  assert.equal(asked.length, before)
  now += 10_000
  assert.equal(await isServed('later.example.com'), true)
})
