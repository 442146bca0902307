import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { createZoneSource } from '#adapters/sql/domain/zone-source.ts'
import type { Domain } from '#core/domain/domain.ts'
import { eachDatabase, type OpenDatabase } from '#test/support/database/databases.ts'
import { openStores } from '#test/support/database/stores.ts'
import { sampleChallenge, sampleDnsRecord, sampleDomain } from '#test/support/samples.ts'

const nameservers = ['ns1.aloft.test', 'ns2.aloft.test']
const ours = { nameservers, nsVerifiedAt: 1 }

async function openZones(t: TestContext, open: OpenDatabase) {
  const opened = await openStores(t, open)
  const { stores, database } = opened
  const zones = createZoneSource(database.db, {
    domain: 'aloft.test',
    nameservers,
    authority: 'letsencrypt.org',
  })
  const add = async (given: Partial<Domain>) => {
    const domain = sampleDomain(given)
    assert.equal(await stores.domains.add(domain), true)
    return domain
  }
  return { ...opened, zones, add }
}

eachDatabase((name, open) =>
  describe(`zones on ${name}`, () => {
    it('are those of verified domains that we answer for, the longest first', async (t) => {
      const { zones, add } = await openZones(t, open)
      await add({ name: 'example.com', ...ours })
      await add({ name: 'sub.example.com', ...ours, ownerId: 'another' })
      await add({ name: 'elsewhere.example.com', txtVerifiedAt: 1 })
      await add({ name: 'unproven.test', nameservers })
      await add({ name: 'bought.test', boughtAt: 1 })
      const found = async (host: string) => (await zones.find(host))?.name
      assert.equal(await found('example.com'), 'example.com')
      assert.equal(await found('a.b.example.com'), 'example.com')
      assert.equal(await found('x.sub.example.com'), 'sub.example.com')
      assert.equal(await found('elsewhere.example.com'), 'example.com')
      assert.equal(await found('www.bought.test'), 'bought.test')
      for (const host of ['unproven.test', 'notexample.com', 'com', ''])
        assert.equal(await found(host), undefined, host)
    })

    it('hold the records of their domain and the proofs that are there', async (t) => {
      const { zones, add, stores } = await openZones(t, open)
      const domain = await add({ name: 'example.com', ...ours })
      const other = await add({ name: 'example.com', ownerId: 'another' }).catch(() => undefined)
      assert.equal(other, undefined, 'a verified name has one holder')
      await stores.dnsRecords.add(sampleDnsRecord({ domainId: domain.id, name: 'a', value: '192.0.2.7' }))
      await stores.challenges.put(sampleChallenge({ kind: 'dns-01', host: 'example.com', value: 'proof' }))
      await stores.challenges.put(sampleChallenge({ kind: 'http-01', host: 'example.com' }))
      const zone = await zones.find('example.com')
      const rows = zone?.records.map((r) => `${r.name} ${r.ttl} ${r.type} ${r.value}`) ?? []
      assert.ok(rows.includes('a.example.com 60 A 192.0.2.7'))
      assert.deepEqual(
        rows.filter((row) => row.includes(' TXT ')),
        ['_acme-challenge.example.com 1 TXT proof'],
      )
      assert.equal(rows.length, 5)
    })

    it('have a serial that grows with whatever changes', async (t) => {
      const { zones, add, stores } = await openZones(t, open)
      const domain = await add({ name: 'example.com', ...ours })
      const { dnsRecords, challenges, domains } = stores
      let last = 0
      const grown = async (what: string) => {
        const serial = (await zones.find('example.com'))?.serial ?? 0
        assert.ok(serial > last, what)
        last = serial
      }
      await grown('it begins')
      await dnsRecords.countChange('example.com')
      await grown('a record')
      await dnsRecords.countChange('example.com')
      await grown('another record')
      const challenge = sampleChallenge({ kind: 'dns-01' })
      await challenges.put(challenge)
      await grown('a proof')
      await challenges.remove(challenge)
      await grown('a proof that went')
      await challenges.put(challenge)
      await challenges.prune(challenge.expiresAt)
      await grown('proofs that ran out')
      await domains.remove(domain.id)
      await add({ name: 'example.com', ...ours })
      await grown('a domain that went and came back in the same second')
    })
  }),
)
