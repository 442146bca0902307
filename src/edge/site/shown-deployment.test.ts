import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { AloftError } from '#contract/errors.ts'
import { ask, createEdgeWorld, serveSlow } from '#test/support/http/edge.ts'

const hostOfDeployment = (_projectId: string, id: string) => ({
  host: id === 'dpl_old' ? 'old.test' : 'new.test',
  createdAt: Date.now(),
  wasShown: true,
})
let isAway = false
const whileThere = async <T>(found: T): Promise<T> => {
  if (isAway) throw new AloftError('service_unavailable', 'The database is away')
  return found
}
const world = createEdgeWorld({
  sites: {
    find: (host) => whileThere(world.sites.get(host)),
    hostOfDeployment: async (projectId, id) => whileThere(hostOfDeployment(projectId, id)),
  },
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

test('what a host shows is there while another deployment cannot be looked up', async (t) => {
  world.edge.invalidate('*')
  const get = async (headers: Record<string, string>) =>
    (await ask(server.port, '/', { host: 'shop.test', headers })).text
  assert.equal(await get({ 'x-rolling-release': 'stable' }), 'live shop')
  isAway = true
  t.after(() => {
    isAway = false
  })
  assert.equal(await get({ 'x-rolling-release': 'canary' }), 'live shop')
  assert.equal(await get({ 'x-deployment-id': 'dpl_old', 'x-rolling-release': 'stable' }), 'live shop')
  assert.equal(await get({ 'x-deployment-id': 'dpl_other', 'x-rolling-release': 'stable' }), 'live shop')
})
