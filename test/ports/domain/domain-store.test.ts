import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import type { Domain } from '#core/domain/domain.ts'
import { eachDatabase, type OpenDatabase } from '#test/support/database/databases.ts'
import { openStores } from '#test/support/database/stores.ts'
import { sampleDomain } from '#test/support/samples.ts'

async function openDomains(t: TestContext, open: OpenDatabase) {
  const opened = await openStores(t, open)
  const { domains } = opened.stores
  const add = async (given: Partial<Domain>) => {
    const domain = sampleDomain({ ownerId: 'anna', ...given })
    assert.equal(await domains.add(domain), true)
    return domain
  }
  return { ...opened, domains, add }
}

eachDatabase((name, open) =>
  describe(`domains on ${name}`, () => {
    it('finds a domain of an account as it was stored', async (t) => {
      const { domains, add } = await openDomains(t, open)
      const domain = await add({
        name: 'example.com',
        serviceWish: 'external',
        nameservers: ['ns1.elsewhere.net'],
        expiresAt: 7,
        transferStartedAt: 6,
        checkedAt: 5,
        createdAt: 4,
      })
      assert.deepEqual(await domains.find('anna', 'example.com'), domain)
      assert.equal(await domains.find('bert', 'example.com'), undefined)
      const unseen = await add({ name: 'unseen.com' })
      assert.deepEqual(await domains.find('anna', 'unseen.com'), unseen)
    })

    it('lets accounts claim the same name, each once, until one has verified it', async (t) => {
      const { domains, add } = await openDomains(t, open)
      const annas = await add({ name: 'example.com' })
      await add({ name: 'example.com', ownerId: 'bert' })
      assert.equal(await domains.add(sampleDomain({ ownerId: 'anna', name: 'example.com' })), false)
      assert.equal(await domains.update(annas.id, { txtVerifiedAt: 1 }), true)
      for (const given of [{}, { nsVerifiedAt: 1 }])
        assert.equal(
          await domains.add(sampleDomain({ ownerId: 'carl', name: 'example.com', ...given })),
          false,
        )
      assert.equal(await domains.find('carl', 'example.com'), undefined)
    })

    it('lets one account alone verify a name, and the transaction of the other goes on', async (t) => {
      const { domains, add, transact, stores } = await openDomains(t, open)
      const annas = await add({ name: 'example.com' })
      const berts = await add({ name: 'example.com', ownerId: 'bert' })
      assert.equal(await domains.update(annas.id, { nsVerifiedAt: 1, nameservers: ['ns1.a'] }), true)
      await transact(async (inside) => {
        assert.equal(await inside.domains.update(berts.id, { txtVerifiedAt: 2 }), false)
        assert.equal(await inside.domains.update(berts.id, { checkedAt: 2 }), true)
        await inside.settings.set('after', '1')
      })
      assert.deepEqual(await domains.find('bert', 'example.com'), { ...berts, checkedAt: 2 })
      assert.deepEqual(await domains.find('anna', 'example.com'), {
        ...annas,
        nsVerifiedAt: 1,
        nameservers: ['ns1.a'],
      })
      assert.equal(await stores.settings.get('after'), '1')
      assert.equal(await domains.update('none', { checkedAt: 1 }), false)
    })

    it('has one winner when many verify a name at once, who takes it from the others', async (t) => {
      const { domains, add, transact, again } = await openDomains(t, open)
      const { transact: elsewhere } = await again()
      const owners = ['anna', 'bert', 'carl', 'dora']
      const all: Domain[] = []
      for (const ownerId of owners) all.push(await add({ name: 'example.com', ownerId }))
      const won = await Promise.all(
        all.map(({ id }, i) =>
          (i % 2 ? transact : elsewhere)(async (inside) => {
            if (!(await inside.domains.update(id, { txtVerifiedAt: 1 }))) return false
            await inside.domains.removeOthers('example.com', id)
            return true
          }),
        ),
      )
      assert.equal(won.filter(Boolean).length, 1)
      const left = await Promise.all(owners.map((ownerId) => domains.find(ownerId, 'example.com')))
      assert.deepEqual(
        left.map((domain) => domain !== undefined),
        won,
      )
    })

    it('loses no part of two changes that race', async (t) => {
      const { domains, add, again } = await openDomains(t, open)
      const other = (await again()).stores.domains
      const domain = await add({ name: 'example.com' })
      await Promise.all([
        domains.update(domain.id, { expiresAt: 1 }),
        other.update(domain.id, { transferStartedAt: 2 }),
        domains.update(domain.id, { nameservers: ['ns1.a'] }),
        other.update(domain.id, { checkedAt: 3 }),
      ])
      assert.deepEqual(await domains.find('anna', 'example.com'), {
        ...domain,
        expiresAt: 1,
        transferStartedAt: 2,
        nameservers: ['ns1.a'],
        checkedAt: 3,
      })
    })

    it('finds what covers a host: the longest name, of the account or verified by whomever', async (t) => {
      const { domains, add } = await openDomains(t, open)
      const apex = await add({ name: 'example.com', txtVerifiedAt: 1 })
      const sub = await add({ name: 'shop.example.com' })
      const berts = await add({ name: 'api.example.com', ownerId: 'bert', nsVerifiedAt: 1 })
      assert.deepEqual(await domains.covering('anna', 'a.shop.example.com'), sub)
      assert.deepEqual(await domains.covering('anna', 'shop.example.com'), sub)
      assert.deepEqual(await domains.covering('anna', '*.example.com'), apex)
      assert.equal(await domains.covering('anna', 'notexample.com'), undefined)
      assert.equal(await domains.covering('bert', 'example.com'), undefined)
      assert.deepEqual(await domains.verifiedCovering('a.shop.example.com'), apex)
      assert.deepEqual(await domains.verifiedCovering('v1.api.example.com'), berts)
      assert.equal(await domains.verifiedCovering('com'), undefined)
      assert.equal(await domains.verifiedCovering('example.org'), undefined)
    })

    it('lists an account’s domains, newest first, page by page', async (t) => {
      const { domains, add } = await openDomains(t, open)
      const oldest = await add({ createdAt: 1 })
      const newest = await add({ createdAt: 3 })
      const middle = await add({ createdAt: 2 })
      await add({ createdAt: 4, ownerId: 'bert' })
      const page = await domains.list('anna', { limit: 2 })
      assert.deepEqual(page.items, [newest, middle])
      assert.deepEqual(page.pagination, { count: 2, next: 2, prev: null })
      assert.deepEqual((await domains.list('anna', { limit: 2, until: 2 })).items, [oldest])
    })

    it('removes a domain, and takes a name from every other account', async (t) => {
      const { domains, add } = await openDomains(t, open)
      const annas = await add({ name: 'example.com' })
      const berts = await add({ name: 'example.com', ownerId: 'bert' })
      const other = await add({ name: 'other.com', ownerId: 'bert' })
      assert.deepEqual(await domains.removeOthers('example.com', annas.id), [berts])
      assert.equal(await domains.find('bert', 'example.com'), undefined)
      assert.deepEqual(await domains.find('bert', 'other.com'), other)
      await domains.remove(annas.id)
      assert.equal(await domains.find('anna', 'example.com'), undefined)
      await add({ name: 'example.com', ownerId: 'carl', txtVerifiedAt: 1 })
    })

    it('names those to look up again: unverified, young enough, the longest unseen first', async (t) => {
      const { domains, add } = await openDomains(t, open)
      const seen = await add({ createdAt: 100, checkedAt: 150 })
      const unseen = await add({ createdAt: 100 })
      const early = await add({ createdAt: 100, checkedAt: 120 })
      await add({ createdAt: 100, checkedAt: 200 })
      await add({ createdAt: 10, checkedAt: 20 })
      await add({ createdAt: 100, checkedAt: 110, boughtAt: 110 })
      assert.deepEqual(await domains.unverified(200, 50, 10), [unseen, early, seen])
      assert.deepEqual(await domains.unverified(200, 50, 1), [unseen])
    })

    it('names verified ones to look up again, the longest unseen first', async (t) => {
      const { domains, add } = await openDomains(t, open)
      const seen = await add({ checkedAt: 150, txtVerifiedAt: 1 })
      const unseen = await add({ boughtAt: 1 })
      await add({ checkedAt: 200, nsVerifiedAt: 1 })
      await add({ checkedAt: 100 })
      assert.deepEqual(await domains.verified(200, 10), [unseen, seen])
      assert.deepEqual(await domains.verified(200, 1), [unseen])
      await domains.touch([unseen.id], 200)
      assert.deepEqual(await domains.verified(200, 10), [seen])
      assert.deepEqual(await domains.find('anna', unseen.name), { ...unseen, checkedAt: 200 })
    })
  }),
)
