import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Item, planImport } from '#cli/import/plan.ts'
import { openSource } from '#cli/import/source.ts'
import { createClient } from '#client/client.ts'
import { startServer } from '#test/support/server.ts'

const shown = (items: readonly Item[]) => items.map(({ kind, state }) => `${kind} ${state}`)

test('an account comes along once, whatever is asked how often', async (t) => {
  const [from, to] = [await startServer(), await startServer()]
  t.after(() => Promise.all([from.close(), to.close()]))
  const [theirs, mine] = [await from.signUp(), await to.signUp()]
  const { token } = theirs
  await from.call('POST /v10/projects', { token, body: { name: 'shop', buildCommand: '' } })
  for (const [key, type] of [
    ['OPEN', 'encrypted'],
    ['CLOSED', 'sensitive'],
  ])
    await from.call('POST /v10/projects/shop/env', {
      token,
      body: { key, value: `${key} value`, type, target: ['production'] },
    })
  const { body: domain } = await from.call('GET /v4/domains/price?name=shop.com', { token })
  await from.call('POST /v4/domains/buy', { token, body: { name: 'shop.com', expectedPrice: domain.price } })
  await from.call('POST /v2/domains/shop.com/records', {
    token,
    body: { name: 'mail', type: 'A', value: '192.0.2.4' },
  })
  await from.call('POST /v8/platform/deployments', {
    token,
    body: {
      name: 'shop',
      version: 2,
      target: 'production',
      files: [
        { file: 'index.html', data: 'welcome' },
        { file: 'deep/er/page.html', data: 'deep' },
      ],
    },
  })
  await from.call('POST /v1/webhooks', {
    token,
    body: { url: 'https://example.com/hook', events: ['deployment.created'] },
  })

  const source = openSource({ url: from.url, token })
  const api = createClient({ baseUrl: to.url, token: mine.token })
  const plan = () => planImport(source, api, { only: undefined, onRead() {} })
  const first = await plan()
  assert.ok(shown(first).includes('project new'))
  const closed = first.find(({ name }) => name.includes('CLOSED'))
  assert.deepEqual([closed?.state, /read its value/.test(closed?.why ?? '')], ['cannot', true])
  const before = await to.call('GET /v9/projects', { token: mine.token })
  assert.equal(before.body.projects.length, 0, 'a plan changes nothing')

  for (const item of first) await item.make?.()
  const { body: made } = await to.call('GET /v9/projects/shop/env?decrypt=true', { token: mine.token })
  assert.deepEqual(
    made.envs.map(({ key, value }: { key: string; value: string }) => [key, value]),
    [['OPEN', 'OPEN value']],
  )
  const { body: list } = await to.call('GET /v3/platform/deployments', { token: mine.token })
  assert.equal(list.deployments.length, 1)
  assert.equal((await to.visit(list.deployments[0].url, '/deep/er/page.html')).body, 'deep')
  const { body: records } = await to.call('GET /v2/domains/shop.com/records', { token: mine.token })
  assert.ok(records.records.some(({ value }: { value: string }) => value === '192.0.2.4'))

  const again = await plan()
  assert.deepEqual(
    again.filter(({ state }) => state === 'new'),
    [],
  )
})
