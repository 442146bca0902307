import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { eachDatabase, type OpenDatabase } from '#test/support/database/databases.ts'
import { openStores } from '#test/support/database/stores.ts'
import { sampleDnsRecord, sampleDomain } from '#test/support/samples.ts'

async function openRecords(t: TestContext, open: OpenDatabase) {
  const opened = await openStores(t, open)
  const [domain, other] = [sampleDomain(), sampleDomain()]
  await opened.stores.domains.add(domain)
  await opened.stores.domains.add(other)
  return { ...opened, records: opened.stores.dnsRecords, domain, other }
}

eachDatabase((name, open) =>
  describe(`DNS records on ${name}`, () => {
    it('lists those of a domain as they were stored, oldest first', async (t) => {
      const { records, domain, other } = await openRecords(t, open)
      const newer = sampleDnsRecord({
        domainId: domain.id,
        type: 'MX',
        value: '10 mail.x.test',
        createdAt: 2,
      })
      const older = sampleDnsRecord({ domainId: domain.id, name: '', updatedAt: 9, createdAt: 1 })
      const foreign = sampleDnsRecord({ domainId: other.id })
      for (const record of [newer, older, foreign]) await records.add(record)
      assert.deepEqual(await records.list(domain.id), [older, newer])
    })

    it('removes one of its domain alone, and tells whether it was there', async (t) => {
      const { records, domain, other } = await openRecords(t, open)
      const record = sampleDnsRecord({ domainId: domain.id })
      await records.add(record)
      assert.equal(await records.remove(other.id, record.id), false)
      assert.equal(await records.remove(domain.id, record.id), true)
      assert.equal(await records.remove(domain.id, record.id), false)
      assert.deepEqual(await records.list(domain.id), [])
    })

    it('loses them with their domain', async (t) => {
      const { records, stores, domain } = await openRecords(t, open)
      await records.add(sampleDnsRecord({ domainId: domain.id }))
      await stores.domains.remove(domain.id)
      assert.deepEqual(await records.list(domain.id), [])
    })

    it('lets one at a time change what a name answers with', async (t) => {
      const { records, domain, transact, again } = await openRecords(t, open)
      const { transact: elsewhere } = await again()
      const addUnlessThere = (run: typeof transact) =>
        run(async ({ dnsRecords }) => {
          await dnsRecords.countChange(domain.name)
          const there = await dnsRecords.list(domain.id)
          if (there.length === 0) await dnsRecords.add(sampleDnsRecord({ domainId: domain.id }))
        })
      await Promise.all(
        Array.from({ length: 6 }, (_, i) => addUnlessThere(i % 2 === 0 ? transact : elsewhere)),
      )
      assert.equal((await records.list(domain.id)).length, 1)
    })
  }),
)
