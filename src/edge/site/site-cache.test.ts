import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Site, SiteFile } from '#core/site/site.ts'
import { silentLog } from '#test/support/silent-log.ts'
import { SiteCache } from './site-cache.ts'

const clock = { now: () => 0, monotonic: () => 0 }

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
