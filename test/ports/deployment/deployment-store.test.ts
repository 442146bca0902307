import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import fc from 'fast-check'
import { READY_STATES } from '#contract/api/deployment.ts'
import { newId } from '#contract/ids.ts'
import type { Deployment } from '#core/deployment/deployment.ts'
import type { DeploymentFilter, DeploymentStore } from '#core/deployment/deployment-store.ts'
import { DEFAULT_MODE, type ManifestFile } from '#core/deployment/file/manifest.ts'
import { untilBlocked } from '#test/support/blocked.ts'
import { eachDatabase, type OpenDatabase } from '#test/support/database/databases.ts'
import { openStores } from '#test/support/database/stores.ts'
import { sampleAlias, sampleDeployment, sampleEntry, sampleFile } from '#test/support/samples.ts'

const absent = (path: string, text = path): ManifestFile => ({ ...sampleEntry(path, text), sha256: '' })

async function openDeployments(t: TestContext, open: OpenDatabase) {
  const opened = await openStores(t, open)
  const { deployments } = opened.stores
  const add = async (
    given: Partial<Deployment> = {},
    manifest: readonly ManifestFile[] = [sampleEntry('a')],
  ) => {
    const deployment = sampleDeployment({ ownerId: 'anna', ...given })
    await deployments.insert(deployment, { manifest, sealedEnv: `sealed ${deployment.id}` })
    return deployment
  }
  const begin = (manifest: readonly ManifestFile[], given: Partial<Deployment> = {}) =>
    add({ incomplete: true, state: 'INITIALIZING', host: null, ...given }, manifest)
  return { ...opened, ...opened.stores, add, begin }
}

const FULL: Partial<Deployment> = {
  host: null,
  state: 'ERROR',
  stateAt: 7,
  createdAt: 5,
  readyAt: null,
  regions: ['bru1', 'hnd1'],
  plan: 'pro',
  public: true,
  target: 'production',
  meta: { branch: 'föö "bar"', ['__proto__']: 'odd', zero: '\0' },
  routes: [{ src: '/(.*)', dest: '/$1', headers: { a: 'b' } }, { handle: 'filesystem' }],
  builds: [{ src: '**', use: '@aloft/static', config: { deep: [1, null] } }],
  buildRuns: [
    { id: 'bld_1', use: '@aloft/static', config: {}, path: '**', readyState: 'READY', readyStateAt: 9 },
  ],
  envKeys: ['A'],
  buildEnvKeys: ['B', 'C'],
  aliasWish: ['a.aloft.test'],
  aliasFinal: ['b.aloft.test'],
  aliasAssigned: false,
  aliasError: { code: 'c', message: 'm' },
  failure: { code: 'c', message: 'm', step: 'build' },
  type: 'DOCKER',
  scale: { min: 1, max: 3 },
  sessionAffinity: 'ip',
  nodeVersion: '24.0.0',
}

/** Deployments that differ in what can be filtered by. */
const someDeployment = fc.record({
  name: fc.constantFrom('one', 'two'),
  projectId: fc.constantFrom('prj_1', 'prj_2'),
  creatorId: fc.constantFrom('u1', 'u2', 'u3'),
  state: fc.constantFrom(...READY_STATES),
  target: fc.constantFrom(null, 'staging' as const, 'production' as const),
  meta: fc.dictionary(fc.constantFrom('k', 'l'), fc.constantFrom('1', '2'), {
    maxKeys: 2,
    noNullPrototype: true,
  }),
  createdAt: fc.integer({ min: 1, max: 9 }),
})
const someFilter: fc.Arbitrary<DeploymentFilter> = fc.record(
  {
    app: fc.constantFrom('one', 'two'),
    projectId: fc.constantFrom('prj_1', 'prj_2'),
    creators: fc.array(fc.constantFrom('u1', 'u2', 'u3', 'u4'), { maxLength: 3 }),
    states: fc.array(fc.constantFrom(...READY_STATES), { maxLength: 3 }),
    target: fc.constantFrom('staging' as const, 'production' as const, 'preview' as const),
    meta: fc.dictionary(fc.constantFrom('k', 'l', 'm'), fc.constantFrom('1', '2'), {
      maxKeys: 2,
      noNullPrototype: true,
    }),
  },
  { requiredKeys: [] },
)

function matches(
  d: Deployment,
  { app, projectId, creators, states, target, meta }: DeploymentFilter,
): boolean {
  const isOneOf = (values: readonly string[] | undefined, value: string) =>
    values === undefined || values.length === 0 || values.includes(value)
  return (
    (app === undefined || d.name === app) &&
    (projectId === undefined || d.projectId === projectId) &&
    isOneOf(creators, d.creatorId) &&
    isOneOf(states, d.state) &&
    (target === undefined || d.target === (target === 'preview' ? null : target)) &&
    Object.entries(meta ?? {}).every(([key, value]) => d.meta[key] === value)
  )
}

async function walk(deployments: DeploymentStore, filter: DeploymentFilter, limit: number) {
  const seen: Deployment[] = []
  let until: number | undefined
  do {
    const { items, pagination } = await deployments.list(
      'anna',
      until === undefined ? { limit } : { limit, until },
      filter,
    )
    seen.push(...items)
    until = pagination.next ?? undefined
  } while (until !== undefined)
  return seen
}

eachDatabase((name, open) =>
  describe(`deployments on ${name}`, () => {
    it('finds a deployment by its id, with or without the prefix, as it was stored', async (t) => {
      const { deployments, add } = await openDeployments(t, open)
      for (const given of [{}, FULL]) {
        const deployment = await add(given)
        assert.deepEqual(await deployments.find(deployment.id), deployment)
        assert.deepEqual(await deployments.find(deployment.id.slice('dpl_'.length)), deployment)
        assert.equal(await deployments.sealedEnv(deployment.id), `sealed ${deployment.id}`)
      }
    })

    it('finds a deployment by every host that points to it', async (t) => {
      const { deployments, hosts, add } = await openDeployments(t, open)
      const deployment = await add()
      await hosts.claimForDeployment('own.aloft.test', deployment)
      const alias = sampleAlias({ host: 'site.aloft.test', ownerId: 'anna', deploymentId: deployment.id })
      await hosts.claimAlias(alias)
      for (const host of ['own.aloft.test', 'OWN.Aloft.test', 'site.aloft.test'])
        assert.deepEqual(await deployments.find(host), deployment)
      const next = await add()
      await hosts.point('site.aloft.test', deployment.id, { ...alias, deploymentId: next.id })
      assert.deepEqual(await deployments.find('site.aloft.test'), next)
    })

    it('finds a deployment by its own host until it is deleted', async (t) => {
      const { deployments, hosts, add } = await openDeployments(t, open)
      const [deployment, other] = [await add(), await add()]
      const { host } = deployment
      assert.ok(host !== null)
      await hosts.claimForDeployment(host, deployment)
      const alias = sampleAlias({ host: `www.${host}`, ownerId: 'anna', deploymentId: other.id })
      await hosts.claimAlias(alias)
      assert.deepEqual(await deployments.find(host), deployment)
      assert.deepEqual(await deployments.find(alias.host), other)
      await deployments.delete(deployment.id, 1)
      assert.equal(await deployments.find(host), undefined)
      assert.deepEqual(await deployments.find(alias.host), other)
    })

    it('finds many at once, and of those that there are not nothing', async (t) => {
      const { deployments, add } = await openDeployments(t, open)
      const [first, second, gone] = [await add(FULL), await add(), await add()]
      await add()
      await deployments.delete(gone.id, 1)
      const found = await deployments.findAll([second.id, first.id, gone.id, newId.deployment(), ''])
      assert.deepEqual(
        new Map(found.map((each) => [each.id, each])),
        new Map([first, second].map((each) => [each.id, each])),
      )
      assert.deepEqual(await deployments.findAll([]), [])
    })

    it('finds nothing by anything else', async (t) => {
      const { deployments, add } = await openDeployments(t, open)
      await add()
      for (const text of ['', 'x', newId.deployment(), 'none.aloft.test', 'dpl_', 'a'.repeat(5000)])
        assert.equal(await deployments.find(text), undefined)
    })

    it('keeps a manifest as it is', async (t) => {
      const { deployments, add } = await openDeployments(t, open)
      const plain = [sampleEntry('a'), sampleEntry('b/ü "\\ c', 'x'), absent('d')]
      const special: ManifestFile[] = [
        { ...sampleEntry('bin/run'), mode: 0o100755 },
        { ...sampleEntry('src/a.ts'), hidden: true },
        { ...sampleEntry('z'), mode: DEFAULT_MODE, size: 5_000_000_000 },
      ]
      for (const manifest of [plain, special]) {
        const { id } = await add({}, manifest)
        assert.deepEqual(await deployments.manifest(id), manifest)
      }
      assert.deepEqual(await deployments.manifest(newId.deployment()), [])
    })

    it('changes what it is told to, and nothing else', async (t) => {
      const { deployments, add } = await openDeployments(t, open)
      const deployment = await add({ meta: { a: 'b' }, state: 'BUILDING', host: null, readyAt: null })
      const other = await add()
      const changes = [
        { state: 'READY', stateAt: 8, readyAt: 8, host: 'x.aloft.test' },
        { aliasFinal: ['y.aloft.test'], aliasAssigned: true, scale: { min: 1, max: 2 } },
        { failure: { code: 'c', message: 'm', step: 's' }, aliasError: { code: 'c', message: 'm' } },
        { failure: null, aliasError: null },
        {},
      ] as const
      let expected = deployment
      for (const change of changes) {
        await deployments.update(deployment.id, change)
        expected = { ...expected, ...change }
        assert.deepEqual(await deployments.find(deployment.id), expected)
      }
      assert.deepEqual(await deployments.find(other.id), other)
      await deployments.update(newId.deployment(), { state: 'READY' })
    })

    it('advances what is on its way, and nothing that has ended', async (t) => {
      const { deployments, add } = await openDeployments(t, open)
      const { id } = await add({ state: 'BUILDING' })
      assert.equal(await deployments.advance(id, { state: 'DEPLOYING' }), true)
      assert.equal(await deployments.advance(id, { state: 'ERROR', stateAt: 9 }), true)
      assert.equal(await deployments.advance(id, { state: 'READY', stateAt: 10 }), false)
      const found = await deployments.find(id)
      assert.deepEqual([found?.state, found?.stateAt], ['ERROR', 9])
      assert.equal(await deployments.advance(newId.deployment(), { stateAt: 1 }), false)
    })

    it('loses no change of many that are made at once', async (t) => {
      const first = await openDeployments(t, open)
      const other = await first.again()
      const { id } = await first.add({ aliasAssigned: false })
      await Promise.all([
        first.deployments.update(id, { state: 'READY' }),
        other.stores.deployments.update(id, { readyAt: 3 }),
        first.deployments.update(id, { aliasAssigned: true }),
        other.stores.deployments.update(id, { aliasFinal: ['a.aloft.test'] }),
        first.deployments.update(id, { scale: { min: 5, max: 6 } }),
      ])
      const found = await first.deployments.find(id)
      assert.equal(found?.state, 'READY')
      assert.equal(found?.readyAt, 3)
      assert.equal(found?.aliasAssigned, true)
      assert.deepEqual(found?.aliasFinal, ['a.aloft.test'])
      assert.deepEqual(found?.scale, { min: 5, max: 6 })
    })

    it('forgets a deleted deployment everywhere, though its host remembers it', async (t) => {
      const { deployments, hosts, add, database } = await openDeployments(t, open)
      const deployment = await add({ meta: { a: 'b' }, digest: 'same' }, [sampleEntry('a')])
      await hosts.claimForDeployment('own.aloft.test', deployment)
      await deployments.delete(deployment.id, 5)
      await deployments.delete(deployment.id, 6)
      for (const key of [deployment.id, 'own.aloft.test'])
        assert.equal(await deployments.find(key), undefined)
      for (const filter of [{}, { meta: { a: 'b' } }, { app: deployment.name }])
        assert.deepEqual((await deployments.list('anna', { limit: 10 }, filter)).items, [])
      assert.equal(await deployments.newestSame('anna', 'same'), undefined)
      assert.deepEqual(await deployments.manifest(deployment.id), [])
      assert.equal(await deployments.sealedEnv(deployment.id), undefined)
      assert.deepEqual(await deployments.referenced('anna', [sampleFile('a').sha1]), new Set())
      await deployments.update(deployment.id, { state: 'READY', host: 'other.aloft.test' })
      assert.deepEqual(await hosts.holder('own.aloft.test'), {
        kind: 'deployment',
        ownerId: deployment.ownerId,
        deploymentId: deployment.id,
      })
      const rows = await database.db.selectFrom('deployments').selectAll().execute()
      assert.equal(rows.length, 1)
      assert.equal(rows[0]?.deleted_at, 5)
      assert.equal(rows[0]?.sealed_env, '')
    })

    it('answers the newest of the same digest that has not failed, in that account', async (t) => {
      const { deployments, add } = await openDeployments(t, open)
      const older = await add({ digest: 'same', createdAt: 1 })
      const newer = await add({ digest: 'same', createdAt: 2, state: 'BUILDING' })
      await add({ digest: 'same', createdAt: 3, state: 'ERROR' })
      await add({ digest: 'other', createdAt: 4 })
      await add({ digest: 'same', createdAt: 5, ownerId: 'bert' })
      assert.deepEqual(await deployments.newestSame('anna', 'same'), newer)
      await deployments.delete(newer.id, 9)
      assert.deepEqual(await deployments.newestSame('anna', 'same'), older)
      assert.equal(await deployments.newestSame('anna', 'none'), undefined)
    })

    it("lists an account's deployments, newest first, page by page", async (t) => {
      const { deployments, add } = await openDeployments(t, open)
      const oldest = await add({ createdAt: 1 })
      const newest = await add({ createdAt: 3 })
      const middle = await add({ createdAt: 2 })
      await add({ createdAt: 4, ownerId: 'bert' })
      const page = await deployments.list('anna', { limit: 2 }, {})
      assert.deepEqual(page.items, [newest, middle])
      assert.deepEqual(page.pagination, { count: 2, next: 2, prev: null })
      const last = await deployments.list('anna', { limit: 2, until: 2 }, {})
      assert.deepEqual(last.items, [oldest])
      assert.deepEqual((await deployments.list('anna', { limit: 2, since: 2 }, {})).items, [newest])
    })

    it('lists exactly what a filter asks for, in its order, however it is combined and paged', async (t) => {
      const { deployments, transact } = await openDeployments(t, open)
      const made = fc
        .sample(someDeployment, 120)
        .map((given) => sampleDeployment({ ownerId: 'anna', ...given }))
      await transact(async (stores) => {
        for (const deployment of made)
          await stores.deployments.insert(deployment, { manifest: [sampleEntry('a')], sealedEnv: '' })
      })
      const newestFirst = made.toSorted((x, y) => y.createdAt - x.createdAt || (x.id < y.id ? 1 : -1))
      const property = fc.asyncProperty(
        someFilter,
        fc.integer({ min: 1, max: 40 }),
        async (filter, limit) => {
          assert.deepEqual(
            await walk(deployments, filter, limit),
            newestFirst.filter((deployment) => matches(deployment, filter)),
          )
        },
      )
      await fc.assert(property, { numRuns: 150 })
    })

    it('tells values of meta apart from each other and from those of other keys and accounts', async (t) => {
      const { deployments, add } = await openDeployments(t, open)
      const long = 'x'.repeat(10_000)
      const deployment = await add({ meta: { a: 'b', long } })
      await add({ meta: { ab: '', b: 'a', long: `${long}y` } })
      await add({ meta: { a: 'b' }, ownerId: 'bert' })
      const found = async (meta: Record<string, string>) =>
        (await deployments.list('anna', { limit: 10 }, { meta })).items.map(({ id }) => id)
      assert.deepEqual(await found({ a: 'b' }), [deployment.id])
      assert.deepEqual(await found({ long }), [deployment.id])
      assert.deepEqual(await found({ a: 'b', long }), [deployment.id])
      assert.deepEqual(await found({ a: 'b', b: 'a' }), [])
      assert.deepEqual(await found({ a: '' }), [])
    })

    it('waits for the files that have no content, until all were added in the size that was said', async (t) => {
      const { deployments, files, begin } = await openDeployments(t, open)
      const wrong = { ...absent('wrong'), size: 99 }
      const { id } = await begin([sampleEntry('a'), absent('b'), absent('b again', 'b'), absent('c')])
      const never = await begin([absent('b'), wrong])
      const foreign = await begin([absent('b')], { ownerId: 'bert' })
      const missing = async () => (await deployments.missing(id)).toSorted()
      assert.deepEqual(await missing(), [sampleFile('b').sha1, sampleFile('c').sha1].toSorted())
      assert.deepEqual(await deployments.completable('anna'), [])
      await files.add('anna', [sampleFile('b'), sampleFile('wrong'), sampleFile('unrelated')], 1)
      assert.deepEqual(await missing(), [sampleFile('c').sha1])
      assert.deepEqual(await deployments.missing(never.id), [wrong.sha1])
      assert.deepEqual(await deployments.completable('anna'), [])
      await files.add('anna', [sampleFile('c')], 1)
      const [completable, ...others] = await deployments.completable('anna')
      assert.deepEqual(completable, await deployments.find(id))
      assert.deepEqual(others, [])
      assert.deepEqual(await deployments.missing(foreign.id), [sampleFile('b').sha1])
    })

    it('is complete with its whole manifest', async (t) => {
      const { deployments, files, begin } = await openDeployments(t, open)
      const begun = await begin([absent('b')])
      await files.add('anna', [sampleFile('b')], 1)
      await deployments.complete(begun.id, [sampleEntry('b')])
      assert.deepEqual(await deployments.find(begun.id), { ...begun, incomplete: false })
      assert.deepEqual(await deployments.manifest(begun.id), [sampleEntry('b')])
      assert.deepEqual(await deployments.completable('anna'), [])
    })

    it('waits for thousands of files', async (t) => {
      const { deployments, files, begin } = await openDeployments(t, open)
      const texts = Array.from({ length: 3000 }, (_, i) => `file ${i}`)
      const { id } = await begin(texts.map((text) => absent(text)))
      assert.equal((await deployments.missing(id)).length, 3000)
      await files.add('anna', texts.slice(1).map(sampleFile), 1)
      assert.deepEqual(await deployments.missing(id), [sampleFile('file 0').sha1])
    })

    it('is completed exactly once, however many last files arrive at once', async (t) => {
      const first = await openDeployments(t, open)
      const all = [first, await first.again(), await first.again()]
      const texts = Array.from({ length: 12 }, (_, i) => `file ${i}`)
      const begun = [
        await first.begin(texts.map((text) => absent(text))),
        await first.begin([absent('file 3')]),
      ]
      const completed: string[] = []
      await Promise.all(
        texts.map(async (text, i) => {
          const { stores, transact } = all[i % 3] ?? first
          await stores.files.add('anna', [sampleFile(text)], 1)
          const ids = await transact(async ({ deployments }) => {
            const done = await deployments.completable('anna')
            for (const { id } of done) await deployments.complete(id, [sampleEntry('a')])
            return done.map(({ id }) => id)
          })
          completed.push(...ids)
        }),
      )
      assert.deepEqual(completed.toSorted(), begun.map(({ id }) => id).toSorted())
    })

    it('passes over what somebody else is completing', async (t) => {
      const opened = await openDeployments(t, open)
      const other = await opened.again()
      const { id } = await opened.begin([absent('b')])
      await opened.files.add('anna', [sampleFile('b')], 1)
      const { waiting } = await opened.transact(async ({ deployments }) => {
        assert.equal((await deployments.completable('anna')).length, 1)
        const waiting = other.transact((stores) => stores.deployments.completable('anna'))
        await untilBlocked(other, waiting)
        await deployments.complete(id, [sampleEntry('b')])
        return { waiting }
      })
      assert.deepEqual(await waiting, [])
    })

    it('tells what was begun long ago and never completed, until it is deleted', async (t) => {
      const { deployments, files, add, begin } = await openDeployments(t, open)
      await add({ createdAt: 1 })
      const second = await begin([absent('b')], { createdAt: 3 })
      const first = await begin([absent('b')], { createdAt: 2, ownerId: 'bert' })
      await begin([absent('b')], { createdAt: 4 })
      const known = [
        { id: first.id, ownerId: 'bert' },
        { id: second.id, ownerId: 'anna' },
      ]
      assert.deepEqual(await deployments.abandoned(4, 10), known)
      assert.deepEqual(await deployments.abandoned(4, 1), known.slice(0, 1))
      await deployments.delete(first.id, 9)
      assert.deepEqual(await deployments.abandoned(4, 10), known.slice(1))
      await files.add('bert', [sampleFile('b')], 1)
      assert.deepEqual(await deployments.completable('bert'), [])
      // Its files come between the two.
      await deployments.complete(second.id, [sampleEntry('b')])
      assert.equal(await deployments.delete(second.id, 9, 'incomplete'), false)
      assert.equal((await deployments.manifest(second.id)).length, 1)
    })

    it('tells what is on its way although no job is left for it', async (t) => {
      const { deployments, jobs, add, begin } = await openDeployments(t, open)
      const second = await add({ state: 'DEPLOYING', createdAt: 2 })
      const first = await add({ state: 'BUILDING', createdAt: 1 })
      await add({ state: 'READY' })
      await add({ state: 'ERROR' })
      await begin([absent('b')])
      const deleted = await add({ state: 'BUILDING' })
      await deployments.delete(deleted.id, 1)
      const queued = await add({ state: 'INITIALIZING', createdAt: 3 })
      await jobs.enqueue({ kind: 'build', payload: {}, key: `build:${queued.id}` })
      assert.deepEqual(await deployments.withoutJob('build:', 10), [first, second])
      assert.deepEqual(await deployments.withoutJob('build:', 1), [first])
      const [job] = await jobs.claim({
        kinds: ['build'],
        worker: 'w',
        now: 2e12,
        leaseUntil: 2e12 + 1,
        limit: 1,
      })
      assert.equal((await deployments.withoutJob('build:', 10)).length, 2)
      await jobs.bury(job?.id ?? '', 'w', 'given up', 2e12)
      assert.deepEqual(await deployments.withoutJob('build:', 10), [first, second, queued])
    })

    it('tells which files are in a deployment of the account, however many deployments there are', async (t) => {
      const { deployments, add, begin } = await openDeployments(t, open)
      for (let i = 0; i < 20; i++)
        await add({ createdAt: i % 3 }, [sampleEntry('page', `page ${i}`), sampleEntry('shared')])
      await begin([absent('awaited')])
      const deleted = await add({}, [sampleEntry('deleted')])
      await deployments.delete(deleted.id, 1)
      await add({ ownerId: 'bert' }, [sampleEntry('foreign')])
      const hash = (text: string) => sampleFile(text).sha1
      const asked = ['page 0', 'page 7', 'page 19', 'shared', 'awaited', 'deleted', 'foreign', 'none']
      assert.deepEqual(
        await deployments.referenced('anna', asked.map(hash)),
        new Set(asked.slice(0, 5).map(hash)),
      )
      assert.deepEqual(
        await deployments.referenced('anna', ['page 3', 'page 4'].map(hash)),
        new Set(['page 3', 'page 4'].map(hash)),
      )
      assert.deepEqual(await deployments.referenced('anna', []), new Set())
    })

    it('keeps nothing of a deployment whose transaction fails', async (t) => {
      const { deployments, transact } = await openDeployments(t, open)
      const deployment = sampleDeployment({ ownerId: 'anna', meta: { a: 'b' }, incomplete: true })
      const failed = transact(async (stores) => {
        await stores.deployments.insert(deployment, { manifest: [absent('a')], sealedEnv: '' })
        assert.deepEqual(await stores.deployments.find(deployment.id), deployment)
        throw new Error('no')
      })
      await assert.rejects(failed, /no/)
      assert.equal(await deployments.find(deployment.id), undefined)
      assert.deepEqual(await deployments.missing(deployment.id), [])
    })
  }),
)
