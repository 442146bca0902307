import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ask, createEdgeWorld, serveSlow } from '#test/support/http/edge.ts'

const hostOfDeployment = async (_projectId: string, id: string) => ({
  host: id === 'dpl_old' ? 'old.test' : 'new.test',
  createdAt: Date.now(),
  wasShown: true,
})
const world = createEdgeWorld({
  sites: { find: async (host) => world.sites.get(host), hostOfDeployment },
})
const routes = [
  { src: '/', has: [{ type: 'host', value: 'shop.test' }], dest: '/shop.html' },
  { handle: 'filesystem' },
] as const
const files = (of: string) => ({ 'index.html': `${of} elsewhere`, 'shop.html': `${of} shop` })
const own = { routes, routesFrom: 'output' } as const
world.addSite('old.test', files('old'), { ...own, deploymentId: 'dpl_old', environment: 'preview' })
world.addSite('new.test', files('new'), { ...own, environment: 'preview' })
world.addSite('shop.test', files('live'), {
  ...own,
  skew: { maxAgeMs: 60_000, notBefore: 0 },
  canary: {
    ...{ deploymentId: 'dpl_new.test', host: 'new.test', isNamed: false },
    ramp: { from: 0, to: 0, startsAt: 0, endsAt: 0 },
  },
})
const server = await serveSlow(world.edge)
after(async () => {
  await server.close()
  await world.edge.close()
})

test('the rules of a deployment go by the host at which visitors are shown it', async () => {
  const get = async (host: string, headers: Record<string, string> = {}) => {
    const { text, headers: said } = await ask(server.port, '/', { host, headers })
    return [text, said['x-robots-tag']]
  }
  for (let times = 0; times < 2; times++) {
    assert.deepEqual(await get('shop.test', { 'x-rolling-release': 'stable' }), ['live shop', undefined])
    assert.deepEqual(await get('shop.test', { 'x-rolling-release': 'canary' }), ['new shop', undefined])
    assert.deepEqual(await get('shop.test', { 'x-deployment-id': 'dpl_old' }), ['old shop', undefined])
    assert.deepEqual(await get('new.test'), ['new elsewhere', 'noindex'])
    assert.deepEqual(await get('old.test'), ['old elsewhere', 'noindex'])
  }
})
