import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createMemoryBus } from '#adapters/memory/memory-bus.ts'
import { AloftError } from '#contract/errors.ts'
import { HOUR } from '#contract/time.ts'
import type { Zone } from '#core/dns/zone.ts'
import { SITES_TOPIC, type Site } from '#core/site/site.ts'
import { createTestClock } from '#test/support/clock.ts'
import { silentLog } from '#test/support/silent-log.ts'
import type { Parts } from '../parts.ts'
import { rememberReads } from './last-known.ts'

/** A database that can be away, with one site, and what is known of it on this machine. */
function setUp(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const bus = createMemoryBus({ log: silentLog })
  const state = { isAway: false, deployment: 'dpl_1', gone: 'none', asked: 0 }
  const known = new Map<string, unknown>()
  const settings = new Map<string, string>()
  const ask = async <T>(value: () => T): Promise<T> => {
    state.asked++
    if (state.isAway) throw new AloftError('service_unavailable', 'The database does not answer.')
    return value()
  }
  const siteOf = (deploymentId: string, more: object = {}) =>
    ({ deploymentId, files: new Map(), functions: new Map(), ...more }) as unknown as Site
  const find = (host: string) => {
    if (host.endsWith(state.gone)) return undefined
    if (host.endsWith('.wild.test')) return siteOf(state.deployment, { host, wildcard: '*.wild.test' })
    return host === 'a.test' ? siteOf(state.deployment) : undefined
  }
  const zones = new Map<string, Zone>([
    ['a.test', { name: 'a.test', serial: 1, nameservers: [], records: [] }],
  ])
  const zoneOf = (name: string) => zones.get(name) ?? zones.get(name.slice(name.indexOf('.') + 1))
  const clock = createTestClock()
  const parts = {
    stores: {
      ...{ certificates: { forHost: () => ask(() => []) }, hosts: {}, domains: {} },
      settings: {
        get: (key: string) => ask(() => settings.get(key)),
        set: (key: string, value: string) => ask(() => void settings.set(key, value)),
        ensure: (key: string, value: string) =>
          ask(() => {
            if (!settings.has(key)) settings.set(key, value)
            return settings.get(key)
          }),
      },
      revalidations: { of: () => ask(() => [{ tags: [state.deployment], at: 1 }]) },
    },
    bus,
    sites: { find: (host: string) => ask(() => find(host)) },
    zones: { find: (name: string) => ask(() => zoneOf(name)) },
    clock,
    log: silentLog,
    checkHealth: () => ask(() => {}),
    close: async () => {},
  } as unknown as Parts
  const serving = rememberReads(parts, {
    put(kind, key, value) {
      if (value === undefined) return void known.delete(`${kind} ${key}`)
      known.set(`${kind} ${key}`, value)
    },
    get: (kind, key) => known.get(`${kind} ${key}`),
    close() {},
  })
  t.after(() => serving.close())
  const caughtUp: string[] = []
  serving.onCaughtUp((host) => caughtUp.push(host))
  /** Half a second, and what follows from it. */
  const wait = async () => {
    t.mock.timers.tick(500)
    for (let turn = 0; turn < 10; turn++) await Promise.resolve()
  }
  const shown = async (host = 'a.test') =>
    ((await serving.sites.find(host)) as unknown as { deploymentId: string } | undefined)?.deploymentId
  return { state, caughtUp, wait, shown, serving, known, zones, clock, bus }
}

test('what is known is served while the database is away, without asking it for every visitor', async (t) => {
  const { state, shown } = setUp(t)
  assert.equal(await shown(), 'dpl_1')
  state.isAway = true
  assert.equal(await shown(), 'dpl_1')
  const { asked } = state
  assert.equal(await shown(), 'dpl_1')
  assert.equal(state.asked, asked)
  await assert.rejects(shown('unknown.test'), /does not answer/)
})

test('what was answered meanwhile is looked up again soon after it is back, though nobody asks', async (t) => {
  const { state, caughtUp, wait, shown } = setUp(t)
  await shown()
  state.isAway = true
  await shown()
  await wait()
  assert.deepEqual(caughtUp, [])
  state.isAway = false
  state.deployment = 'dpl_2'
  assert.equal(await shown(), 'dpl_1', 'it is not known yet that it is back')
  await wait()
  assert.deepEqual(caughtUp, ['a.test'])
  assert.equal(await shown(), 'dpl_2')
})

test('whoever keeps what was known is told to look again once the database is back, as after a gap in the messages', async (t) => {
  const { state, wait, shown, serving } = setUp(t)
  const tags = async () => (await serving.stores.revalidations.of('dpl')).flatMap((each) => each.tags)
  let gaps = 0
  const end = serving.bus.onGap?.(() => gaps++)
  assert.deepEqual(await tags(), ['dpl_1'])
  await shown()
  state.isAway = true
  await shown()
  state.isAway = false
  await wait()
  assert.equal(gaps, 0, 'sites are told one by one')
  state.isAway = true
  assert.deepEqual(await tags(), ['dpl_1'])
  state.isAway = false
  state.deployment = 'dpl_2'
  await wait()
  assert.equal(gaps, 1)
  assert.deepEqual(await tags(), ['dpl_2'])
  end?.()
})

test('a setting that was made or changed here is known as well as one that was read', async (t) => {
  const { state, serving } = setUp(t)
  const { settings } = serving.stores
  assert.equal(await settings.get('key'), undefined)
  assert.equal(await settings.ensure('key', 'made'), 'made')
  await settings.set('other', 'first')
  await settings.get('other')
  await settings.set('other', 'second')
  state.isAway = true
  assert.equal(await settings.get('key'), 'made')
  assert.equal(await settings.get('other'), 'second')
})

test('what a wildcard shows is remembered once for all names that were asked for', async (t) => {
  const { state, shown, serving, known } = setUp(t)
  for (let i = 0; i < 100; i++) await shown(`x${i}.wild.test`)
  const whole = [...known.values()].filter((value) => 'deploymentId' in (value as object))
  assert.equal(whole.length, 1)
  state.isAway = true
  const site = await serving.sites.find('x7.wild.test')
  assert.deepEqual([site?.host, site?.deploymentId], ['x7.wild.test', 'dpl_1'])
  await assert.rejects(shown('new.wild.test'), /does not answer/)
})

test('a zone is remembered once for all names in it, and those that nobody has asked for are found', async (t) => {
  const { state, serving, known, zones } = setUp(t)
  for (let i = 0; i < 100; i++) await serving.zones.find(`x${i}.a.test`)
  assert.deepEqual([...known.keys()], ['zone a.test'])
  zones.set('inner.a.test', { name: 'inner.a.test', serial: 1, nameservers: [], records: [] })
  await serving.zones.find('inner.a.test')
  state.isAway = true
  assert.equal((await serving.zones.find('new.a.test'))?.name, 'a.test')
  assert.equal((await serving.zones.find('new.inner.a.test'))?.name, 'inner.a.test')
  await assert.rejects(serving.zones.find('other.test'), /does not answer/)
})

test('a zone that changes or goes is remembered so, whatever name in it is asked for', async (t) => {
  const { state, wait, serving, zones } = setUp(t)
  await serving.zones.find('x.a.test')
  zones.set('a.test', { name: 'a.test', serial: 2, nameservers: ['ns.test'], records: [] })
  await serving.zones.find('y.a.test')
  state.isAway = true
  assert.equal((await serving.zones.find('x.a.test'))?.serial, 2)
  state.isAway = false
  zones.delete('a.test')
  await wait()
  assert.equal(await serving.zones.find('z.a.test'), undefined)
  state.isAway = true
  await assert.rejects(serving.zones.find('x.a.test'), /does not answer/)
})

test('what a wildcard showed is forgotten with it, and what took its place at a name is remembered', async (t) => {
  const { state, shown, known } = setUp(t)
  await shown('x1.wild.test')
  await shown('x2.wild.test')
  state.gone = '.wild.test'
  assert.equal(await shown('x1.wild.test'), undefined)
  assert.deepEqual(
    [...known.keys()].filter((key) => key.startsWith('site')),
    [],
  )
  state.isAway = true
  await assert.rejects(shown('x2.wild.test'), /does not answer/)
})

test('what is asked for is written again after an hour, so that it does not make room for what nobody asks for', async (t) => {
  const { shown, known, clock } = setUp(t)
  await shown()
  known.clear()
  await shown()
  assert.equal(known.size, 0)
  clock.advance(HOUR)
  await shown()
  assert.equal(known.size, 1)
})

test('that a name has no certificate is not remembered', async (t) => {
  const { serving, known } = setUp(t)
  for (let i = 0; i < 100; i++)
    assert.deepEqual(await serving.stores.certificates.forHost(`x${i}.a.test`), [])
  assert.equal(known.size, 0)
})

test('what is shown again after another process wrote down something else is written again', async (t) => {
  const { state, shown, known, bus } = setUp(t)
  await shown()
  // A promotion and a rollback, of which only another process has seen what was shown in between.
  known.set('site a.test', { deploymentId: 'dpl_2' })
  for (let n = 0; n < 2; n++) bus.publish(SITES_TOPIC, 'a.test')
  await new Promise(setImmediate)
  await shown()
  state.isAway = true
  assert.equal(await shown(), 'dpl_1')
})
