import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import type { Certificate } from '#core/certificate/certificate.ts'
import type { HostMark } from '#core/certificate/certificate-store.ts'
import { PLATFORM } from '#core/certificate/issue/platform-certificates.ts'
import { eachDatabase, type OpenDatabase } from '#test/support/database/databases.ts'
import { openStores } from '#test/support/database/stores.ts'
import { sampleAlias, sampleCertificate, sampleChallenge, sampleDeployment } from '#test/support/samples.ts'

async function openCertificates(t: TestContext, open: OpenDatabase) {
  const opened = await openStores(t, open)
  const { certificates } = opened.stores
  const add = async (given: Partial<Certificate>) => {
    const certificate = sampleCertificate({ ownerId: 'anna', ...given })
    assert.equal(await certificates.add(certificate), true)
    return certificate
  }
  return { ...opened, certificates, add }
}

const ids = (found: readonly Certificate[]) => found.map(({ id }) => id)

eachDatabase((name, open) =>
  describe(`certificates on ${name}`, () => {
    it('finds a certificate as it was stored, by its id and by its names in any order', async (t) => {
      const { certificates, add } = await openCertificates(t, open)
      const stored = await add({ names: ['a.example.com', 'b.example.com'], renewAt: null })
      assert.deepEqual(await certificates.find('anna', stored.id), stored)
      assert.deepEqual(await certificates.withNames('anna', ['b.example.com', 'a.example.com']), stored)
      assert.equal(await certificates.withNames('anna', ['a.example.com']), undefined)
      assert.equal(await certificates.withNames('bert', stored.names), undefined)
      assert.equal(await certificates.find('bert', stored.id), undefined)
    })

    it('keeps one of many that an account adds for the same names', async (t) => {
      const { certificates, again, add } = await openCertificates(t, open)
      const { stores } = await again()
      const added = await Promise.all(
        Array.from({ length: 6 }, (_, i) =>
          (i % 2 ? certificates : stores.certificates).add(sampleCertificate({ ownerId: 'anna' })),
        ),
      )
      assert.equal(added.filter(Boolean).length, 1)
      assert.equal((await certificates.forHost('example.com')).length, 1)
      await add({ ownerId: 'bert' })
    })

    it('holds as many and as long names as a certificate may have', async (t) => {
      const { certificates, add } = await openCertificates(t, open)
      const label = 'x'.repeat(59)
      const names = Array.from(
        { length: 100 },
        (_, i) => `n${i}-${label}.${label}.${label}.example.com`,
      ).sort()
      const stored = await add({ names })
      assert.deepEqual(await certificates.withNames('anna', names), stored)
      assert.deepEqual(ids(await certificates.forHost(names[42] as string)), [stored.id])
    })

    it('finds those of a host: its own name, and the wildcard of its parent alone', async (t) => {
      const { certificates, add } = await openCertificates(t, open)
      const exact = await add({ names: ['www.example.com'], createdAt: 1 })
      const wild = await add({ names: ['*.example.com'], createdAt: 2, ownerId: 'bert' })
      const both = await add({ names: ['*.example.com', 'www.example.com'], createdAt: 3 })
      await add({ names: ['*.com', '*.www.example.com', 'example.com'], createdAt: 4 })
      assert.deepEqual(ids(await certificates.forHost('WWW.example.com')), [both.id, wild.id, exact.id])
      assert.deepEqual(ids(await certificates.forHost('other.example.com')), [both.id, wild.id])
      assert.deepEqual(ids(await certificates.forHost('*.example.com')), [both.id, wild.id])
      assert.deepEqual(await certificates.forHost('a.other.example.com'), [])
      assert.deepEqual(await certificates.forHost('localhost'), [])
    })

    it('finds those of an account that have a name in a domain', async (t) => {
      const { certificates, add } = await openCertificates(t, open)
      const deep = await add({ names: ['a.b.example.com', 'other.test'], createdAt: 1 })
      const wild = await add({ names: ['*.example.com'], createdAt: 2 })
      await add({ names: ['notexample.com'] })
      await add({ names: ['example.com'], ownerId: 'bert' })
      assert.deepEqual(await certificates.inDomain('anna', 'example.com'), [wild, deep])
      assert.deepEqual(ids(await certificates.inDomain('anna', 'b.example.com')), [deep.id])
      assert.deepEqual(ids(await certificates.inDomain('anna', 'other.test')), [deep.id])
    })

    it('replaces what a certificate is, its names too, and keeps who and when it is', async (t) => {
      const { certificates, add } = await openCertificates(t, open)
      const old = await add({ names: ['old.example.com'] })
      const by = sampleCertificate({ names: ['new.example.com'], source: 'uploaded', autoRenew: false })
      assert.equal(await certificates.replace(old.id, by), true)
      const { id, ownerId, createdAt } = old
      assert.deepEqual(await certificates.find('anna', id), { ...by, id, ownerId, createdAt })
      assert.deepEqual(await certificates.forHost('old.example.com'), [])
      assert.deepEqual(ids(await certificates.forHost('new.example.com')), [id])
      assert.equal(await certificates.replace('cert_gone', by), false)
    })

    it("lists an account's certificates, newest first, page by page", async (t) => {
      const { certificates, add } = await openCertificates(t, open)
      const oldest = await add({ createdAt: 1, names: ['a.test'] })
      const newest = await add({ createdAt: 3, names: ['b.test'] })
      await add({ createdAt: 2, names: ['c.test'], ownerId: 'bert' })
      const page = await certificates.list('anna', { limit: 1 })
      assert.deepEqual(page.items, [newest])
      assert.deepEqual((await certificates.list('anna', { limit: 1, until: 3 })).items, [oldest])
    })

    it('tells which are to be renewed, the longest overdue first, until they are put off', async (t) => {
      const { certificates, add } = await openCertificates(t, open)
      const second = await add({ names: ['b.test'], renewAt: 20 })
      const first = await add({ names: ['a.test'], renewAt: 10 })
      await add({ names: ['c.test'], renewAt: 31 })
      const never = await add({ names: ['d.test'], renewAt: null })
      assert.deepEqual(ids(await certificates.toRenew(30, 10)), [first.id, second.id])
      assert.deepEqual(ids(await certificates.toRenew(30, 1)), [first.id])
      await certificates.postpone(first.id, 40)
      await certificates.postpone(never.id, 5)
      assert.deepEqual(ids(await certificates.toRenew(30, 10)), [second.id])
    })

    it('removes a certificate with everything it was found by, and never one of another account', async (t) => {
      const { certificates, add } = await openCertificates(t, open)
      const { id, names } = await add({})
      assert.equal(await certificates.remove('bert', id), false)
      assert.equal(await certificates.remove('anna', id), true)
      assert.equal(await certificates.remove('anna', id), false)
      assert.deepEqual(await certificates.forHost('example.com'), [])
      assert.deepEqual(await certificates.inDomain('anna', 'example.com'), [])
      await add({ names })
    })

    it('counts the hosts of a domain that were tried, and forgets what is long past', async (t) => {
      const { certificateAttempts: attempts } = (await openStores(t, open)).stores
      const attempt = {
        host: 'a.example.com',
        domain: 'example.com',
        failures: 0,
        at: 10,
        retryAt: 20,
        error: 'refused',
      }
      await attempts.save({ ...attempt, at: 5, error: null })
      await attempts.save(attempt)
      await attempts.save({ ...attempt, host: 'b.example.com', at: 12 })
      await attempts.save({ ...attempt, host: 'c.other.test', domain: 'other.test' })
      assert.deepEqual(await attempts.find('a.example.com'), attempt)
      assert.equal(await attempts.count('example.com', 9, 10), 2)
      assert.equal(await attempts.count('example.com', 9, 1), 1)
      assert.equal(await attempts.count('example.com', 10, 10), 1)
      await attempts.save({ ...attempt, host: 'd.other.test', domain: 'other.test', failures: 2, retryAt: 5 })
      await attempts.save({ ...attempt, host: 'e.other.test', domain: 'other.test', failures: 1, retryAt: 4 })
      await attempts.save({ ...attempt, host: 'platform *.f', domain: PLATFORM, failures: 1, retryAt: 3 })
      await attempts.prune(11)
      assert.equal(await attempts.find('a.example.com'), undefined)
      assert.equal(await attempts.count('example.com', 0, 10), 1)
      assert.deepEqual(await attempts.due(5, 10), ['e.other.test', 'd.other.test'])
      assert.deepEqual(await attempts.due(4, 10), ['e.other.test'])
      await attempts.remove('e.other.test')
      assert.deepEqual(await attempts.due(5, 1), ['d.other.test'])
    })

    it('walks along the aliases in the order they came', async (t) => {
      const { deployments, hosts, certificateAttempts } = (await openStores(t, open)).stores
      const deployment = sampleDeployment()
      await deployments.insert(deployment, { manifest: [], sealedEnv: '' })
      const add = (host: string, createdAt: number) =>
        hosts.claimAlias(sampleAlias({ deploymentId: deployment.id, host, createdAt }))
      await hosts.claimForDeployment('own.aloft.test', deployment)
      for (const [host, at] of [
        ['c.test', 1],
        ['b.test', 2],
        ['a.test', 2],
        ['d.test', 3],
      ] as const)
        assert.equal(await add(host, at), true)
      const first = await certificateAttempts.aliasesAfter({ createdAt: 0, host: '' }, 2)
      assert.deepEqual(first, [
        { createdAt: 1, host: 'c.test' },
        { createdAt: 2, host: 'a.test' },
      ])
      const rest = await certificateAttempts.aliasesAfter(first[1] as HostMark, 10)
      assert.deepEqual(
        rest.map(({ host }) => host),
        ['b.test', 'd.test'],
      )
    })

    it('keeps the challenges of a host apart by kind and token, for as long as they count', async (t) => {
      const { challenges } = (await openStores(t, open)).stores
      const first = sampleChallenge({ kind: 'dns-01', token: 'a', expiresAt: 10 })
      const second = sampleChallenge({ kind: 'dns-01', token: 'b', expiresAt: 20 })
      await challenges.put({ ...first, value: 'replaced', host: 'EXAMPLE.com' })
      for (const challenge of [first, second, sampleChallenge({ token: 'a' })])
        await challenges.put(challenge)
      assert.deepEqual(await challenges.find('dns-01', 'Example.com', 9), [first, second])
      assert.deepEqual(await challenges.find('dns-01', 'example.com', 10), [second])
      assert.deepEqual(await challenges.find('dns-01', 'www.example.com', 9), [])
      await challenges.remove(second)
      await challenges.remove(second)
      assert.deepEqual(await challenges.find('dns-01', 'example.com', 9), [first])
      await challenges.prune(10)
      assert.deepEqual(await challenges.find('dns-01', 'example.com', 1), [])
      assert.equal((await challenges.find('http-01', 'example.com', 11)).length, 1)
    })
  }),
)
