import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ask, createEdgeWorld, serveSlow } from '#test/support/http/edge.ts'
import { hostNameOf } from './host.ts'

test('the name in a Host header, as sites are kept under it', () => {
  assert.equal(hostNameOf('Site.Test:80'), 'site.test')
  assert.equal(hostNameOf('site.test.'), 'site.test')
  for (const none of [undefined, '', ':80', '[::1]', 'a:b:c']) assert.equal(hostNameOf(none), undefined)
  const longest = `${'a'.repeat(248)}.test`
  assert.equal(hostNameOf(longest), longest)
  assert.equal(hostNameOf(`a${longest}`), undefined)
})

test('what is too long to be a host is neither looked up nor remembered', async (t) => {
  const world = createEdgeWorld()
  const server = await serveSlow(world.edge)
  t.after(async () => {
    await server.close()
    await world.edge.close()
  })
  for (let n = 0; n < 5; n++) {
    const host = `${n}${'x'.repeat(10_000)}.test`
    assert.equal((await ask(server.port, '/', { host })).status, 404)
  }
  assert.equal(world.asked.finds, 0)
})
