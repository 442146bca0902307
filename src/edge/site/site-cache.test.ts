import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MINUTE } from '#contract/time.ts'
import type { Site, SiteFile } from '#core/site/site.ts'
import { silentLog } from '#test/support/silent-log.ts'
import { SiteCache } from './site-cache.ts'

const time = { ms: 0 }
const clock = { now: () => time.ms, monotonic: () => time.ms }

const filesOf = (count: number): ReadonlyMap<string, SiteFile> =>
  new Map(Array.from({ length: count }, (_, i) => [`${i}.html`, { sha256: '', size: 1 }]))

const siteOf = (host: string, files: Site['files'], more: Partial<Site> = {}): Site => ({
  ...{ host, deploymentId: 'd', projectId: 'p', ownerId: 'o', environment: 'production', status: 'ready' },
  ...{ files, functions: new Map(), routes: undefined, routesFrom: 'request' },
  ...{ directoryListing: false, sessionAffinity: 'random' },
  ...more,
})

test('names that somebody makes up below a wildcard push out no other site, and go with what they show', async () => {
  const wide = filesOf(1000)
  const sites = new SiteCache({
    sites: {
      async find(host) {
        if (host.endsWith('.wild.test')) return siteOf(host, wide, { wildcard: '*.wild.test' })
        return siteOf(host, filesOf(host === 'large.test' ? 7500 : 10))
      },
    },
    ...{ clock, log: silentLog, budgetBytes: 2 * 1024 * 1024 },
  })
  await sites.find('quiet.test', 0)
  for (let i = 0; i < 100; i++) await sites.find(`x${i}.wild.test`, 0)
  assert.ok(sites.peek('quiet.test', 0))
  const [first, last] = [sites.peek('x0.wild.test', 0), sites.peek('x99.wild.test', 0)]
  assert.ok(first && last)
  assert.equal(first.targets, last.targets)
  assert.notEqual(first.answers, last.answers)
  await sites.find('large.test', 0)
  assert.equal(first.live, false)
  assert.equal(last.live, false)
})

test('a name below a wildcard that is looked up again as it was takes no other with it', async () => {
  const wide = filesOf(10)
  let asked = 0
  const sites = new SiteCache({
    sites: {
      async find(host) {
        asked++
        return siteOf(host, wide, { wildcard: '*.wild.test' })
      },
    },
    ...{ clock, log: silentLog, budgetBytes: 2 * 1024 * 1024 },
  })
  for (let i = 0; i < 5; i++) await sites.find(`x${i}.wild.test`, time.ms)
  const first = sites.peek('x0.wild.test', time.ms)
  const last = sites.peek('x4.wild.test', time.ms)
  time.ms += MINUTE
  sites.peek('x0.wild.test', time.ms)
  while (sites.peek('x0.wild.test', 0) === first) await new Promise(setImmediate)
  assert.equal(asked, 6)
  assert.equal(first?.live, false)
  assert.equal(last?.live, true)
  assert.equal(sites.peek('x4.wild.test', 0), last)
  sites.invalidate('x0.wild.test')
  assert.equal(last?.live, false, 'what it counts for is gone')
})
