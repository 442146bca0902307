import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Certificate } from '#core/certificate/certificate.ts'
import { eachDatabase } from '#test/support/database/databases.ts'
import { openStores } from '#test/support/database/stores.ts'
import { sampleAlias, sampleCertificate, sampleDeployment, sampleProject } from '#test/support/samples.ts'

eachDatabase((name, open) =>
  describe(`projects on ${name}`, () => {
    it('finds a project by its id or its name in its account, as it was stored', async (t) => {
      const { projects } = (await openStores(t, open)).stores
      const project = sampleProject({
        ownerId: 'anna',
        name: 'my-site',
        defaultHost: 'my-site-anna.aloft.test',
        directoryListing: true,
        createdAt: 1,
        updatedAt: 2,
      })
      assert.equal(await projects.insert(project), true)
      for (const key of [project.id, 'my-site']) {
        assert.deepEqual(await projects.byIdOrName('anna', key), project)
        assert.equal(await projects.byIdOrName('bert', key), undefined)
      }
      assert.equal(await projects.byIdOrName('anna', 'other'), undefined)
      assert.equal(await projects.byIdOrName('anna', 'prj_other'), undefined)
    })

    it('refuses a name that the account has, and stores nothing', async (t) => {
      const { projects } = (await openStores(t, open)).stores
      const first = sampleProject({ ownerId: 'anna', name: 'my-site' })
      const second = sampleProject({ ownerId: 'anna', name: 'my-site' })
      assert.equal(await projects.insert(first), true)
      assert.equal(await projects.insert(second), false)
      assert.deepEqual(await projects.byIdOrName('anna', 'my-site'), first)
      assert.equal(await projects.byIdOrName('anna', second.id), undefined)
      assert.equal(await projects.insert(sampleProject({ ownerId: 'bert', name: 'my-site' })), true)
    })

    it('keeps one of many that are made at once, which the others then find', async (t) => {
      const first = await openStores(t, open)
      const all = [first, await first.again(), await first.again()]
      const found = await Promise.all(
        Array.from({ length: 12 }, (_, i) =>
          (all[i % 3] ?? first).transact(async ({ projects }) => {
            await projects.insert(sampleProject({ ownerId: 'anna', name: 'my-site' }))
            return (await projects.byIdOrName('anna', 'my-site'))?.id
          }),
        ),
      )
      assert.equal(new Set(found).size, 1)
      assert.match(found[0] ?? '', /^prj_/)
    })

    it('lists by the last change, in pages, and by a part of the name', async (t) => {
      const { projects } = (await openStores(t, open)).stores
      for (const [name, updatedAt] of [
        ['web-one', 10],
        ['web_two', 30],
        ['api', 20],
      ] as const)
        await projects.insert(sampleProject({ ownerId: 'anna', name, updatedAt }))
      await projects.insert(sampleProject({ ownerId: 'bert', name: 'web-bert', updatedAt: 40 }))
      const list = async (page: object, filter: object = {}) => {
        const { items, pagination } = await projects.list('anna', { limit: 10, ...page }, filter)
        return [items.map(({ name }) => name), pagination.next]
      }
      assert.deepEqual(await list({}), [['web_two', 'api', 'web-one'], null])
      assert.deepEqual(await list({ limit: 2 }), [['web_two', 'api'], 20])
      assert.deepEqual(await list({ until: 20 }), [['web-one'], null])
      assert.deepEqual(await list({ since: 10 }), [['web_two', 'api'], null])
      assert.deepEqual(await list({}, { search: 'web' }), [['web_two', 'web-one'], null])
      assert.deepEqual(await list({}, { search: 'b_' }), [['web_two'], null])
      assert.deepEqual(await list({}, { search: '%' }), [[], null])
    })

    it('changes a project as a whole, or not at all where the name is taken', async (t) => {
      const { projects } = (await openStores(t, open)).stores
      const project = sampleProject({ ownerId: 'anna', name: 'mine', updatedAt: 10 })
      await projects.insert(project)
      await projects.insert(sampleProject({ ownerId: 'anna', name: 'taken' }))
      const details = {
        ...project.details,
        paused: true,
        link: { type: 'github' as const, repo: 'A/b', createdAt: 1 },
      }
      const change = { details, directoryListing: true, build: { ...project.build, buildCommand: 'make' } }
      assert.equal(await projects.update(project.id, { ...change, name: 'taken' }, 20), false)
      assert.deepEqual(await projects.byIdOrName('anna', 'mine'), project)
      assert.equal(await projects.update(project.id, { ...change, name: 'renamed' }, 20), true)
      const changed = { ...project, ...change, name: 'renamed', updatedAt: 20 }
      assert.deepEqual(await projects.byIdOrName('anna', 'renamed'), changed)
      assert.deepEqual(await projects.lock('anna', project.id), changed)
      assert.equal(await projects.lock('bert', project.id), undefined)
      const linked = await projects.list('anna', { limit: 9 }, { repos: ['github:a/b'] })
      assert.deepEqual(
        linked.items.map(({ id }) => id),
        [project.id],
      )
      await projects.delete(project.id)
      assert.equal(await projects.byIdOrName('anna', project.id), undefined)
    })

    it('knows the newest deployments of many projects, and which one is in production', async (t) => {
      const { projects, deployments, hosts } = (await openStores(t, open)).stores
      const [one, two] = [sampleProject({ ownerId: 'anna' }), sampleProject({ ownerId: 'anna' })]
      const deploy = async (projectId: string, createdAt: number, more: object = {}) => {
        const made = sampleDeployment({ ownerId: 'anna', projectId, createdAt, ...more })
        await deployments.insert(made, { manifest: [], sealedEnv: 'x' })
        return made
      }
      const first = await deploy(one.id, 1, { target: 'production' })
      const second = await deploy(one.id, 2, { target: 'production' })
      await deploy(one.id, 3, { target: 'production', state: 'ERROR' })
      const newest = await deploy(one.id, 4)
      await deployments.delete((await deploy(one.id, 5)).id, 6)
      const read = () => projects.deploymentsOf('anna', [one.id, two.id], 2)
      const found = await read()
      assert.deepEqual(
        found.get(one.id)?.latest.map(({ createdAt }) => createdAt),
        [4, 3],
      )
      assert.equal(found.get(one.id)?.latest[0]?.id, newest.id)
      assert.equal(found.get(one.id)?.production?.id, second.id)
      assert.deepEqual(found.get(two.id), { latest: [] })
      const to = { ownerId: 'anna', projectId: one.id, deploymentId: first.id }
      await hosts.claimAlias(sampleAlias({ ...to, production: true }))
      assert.equal((await read()).get(one.id)?.production?.id, first.id)
      // A newer one that an alias was put to is not what the project's own name shows.
      const { id, name, ownerId } = sampleProject({ ownerId: 'anna', name: 'named' })
      await projects.insert(sampleProject({ id, name, ownerId }))
      const aliasFinal = ['named-anna.localhost']
      const shown = await deploy(id, 1, { target: 'production', aliasFinal })
      const aliased = await deploy(id, 2, { target: 'production', aliasFinal })
      const point = (host: string, deploymentId: string) =>
        hosts.claimAlias(sampleAlias({ ownerId, projectId: id, host, deploymentId, production: true }))
      await point('named.localhost', shown.id)
      await point('beta.localhost', aliased.id)
      assert.equal((await projects.deploymentsOf('anna', [id], 1)).get(id)?.production?.id, shown.id)
      assert.deepEqual(await projects.deploymentsOf('bert', [one.id], 2), new Map([[one.id, { latest: [] }]]))
    })

    it('gives a project away with its deployments and hosts, unless the name is taken', async (t) => {
      const { projects, deployments, hosts } = (await openStores(t, open)).stores
      const project = sampleProject({ ownerId: 'anna', name: 'given' })
      await projects.insert(project)
      await projects.insert(sampleProject({ ownerId: 'bert', name: 'given' }))
      const deployment = sampleDeployment({ ownerId: 'anna', projectId: project.id, meta: { a: 'b' } })
      await deployments.insert(deployment, { manifest: [], sealedEnv: 'x' })
      const other = sampleDeployment({ ownerId: 'anna' })
      await deployments.insert(other, { manifest: [], sealedEnv: 'x' })
      const alias = sampleAlias({ ownerId: 'anna', projectId: project.id, deploymentId: deployment.id })
      await hosts.claimAlias(alias)
      await projects.setTransferHash(project.id, 'hash')
      assert.equal((await projects.byTransferHash('hash'))?.id, project.id)
      assert.equal(await projects.give(project, { ownerId: 'bert', name: 'given' }), false)
      assert.equal((await deployments.find(deployment.id))?.ownerId, 'anna')
      assert.equal(await projects.give(project, { ownerId: 'bert', name: 'taken-over' }), true)
      assert.equal((await projects.byIdOrName('bert', 'taken-over'))?.id, project.id)
      assert.equal(await projects.byTransferHash('hash'), undefined)
      assert.equal((await deployments.find(deployment.id))?.ownerId, 'bert')
      assert.equal((await deployments.find(other.id))?.ownerId, 'anna')
      const page = { limit: 9 }
      assert.equal((await deployments.list('bert', page, { meta: { a: 'b' } })).items.length, 1)
      assert.equal((await hosts.list('bert', page, { projectId: project.id })).items.length, 1)
      assert.equal((await hosts.list('anna', page, {})).items.length, 0)
      assert.equal((await hosts.alias('bert', alias.host))?.id, alias.id)
      assert.deepEqual(
        [...(await projects.states({ id: project.id, ownerId: 'bert' }))],
        [[deployment.id, 'READY']],
      )
    })

    it('goes to another account with the certificates that its hosts got by themselves, and no others', async (t) => {
      const { projects, deployments, hosts, certificates } = (await openStores(t, open)).stores
      const [project, other] = [
        sampleProject({ ownerId: 'anna' }),
        sampleProject({ ownerId: 'anna', name: 'other' }),
      ]
      for (const { id: projectId, ...each } of [project, other]) {
        await projects.insert({ ...each, id: projectId })
        const { id: deploymentId, ...deployment } = sampleDeployment({ ownerId: 'anna', projectId })
        await deployments.insert({ ...deployment, id: deploymentId }, { manifest: [], sealedEnv: 'x' })
        const names = projectId === project.id ? ['a.test', 'b.test', 'c.test', 'x.test'] : ['d.test']
        for (const host of names)
          await hosts.claimAlias(sampleAlias({ ownerId: 'anna', projectId, deploymentId, host }))
      }
      const add = async (
        ownerId: string,
        names: readonly string[],
        source: Certificate['source'] = 'automatic',
      ) => {
        const certificate = sampleCertificate({ ownerId, names, source })
        assert.equal(await certificates.add(certificate), true)
        return certificate.id
      }
      const own = await add('anna', ['a.test'])
      const kept = [
        await add('anna', ['b.test'], 'uploaded'),
        await add('anna', ['a.test', 'c.test']),
        await add('anna', ['*.test']),
        await add('anna', ['d.test']),
        await add('anna', ['x.test']),
      ]
      await add('bert', ['x.test'])
      await projects.give(project, { ownerId: 'bert', name: 'given' })
      assert.equal(await certificates.find('anna', own), undefined)
      assert.deepEqual((await certificates.find('bert', own))?.names, ['a.test'])
      assert.deepEqual(
        (await certificates.inDomain('bert', 'a.test')).map(({ id }) => id),
        [own],
      )
      for (const id of kept) assert.ok(await certificates.find('anna', id))
      assert.equal((await certificates.list('bert', { limit: 9 })).items.length, 2)
    })

    it('remembers the latest touch and the default host', async (t) => {
      const { projects } = (await openStores(t, open)).stores
      const project = sampleProject({ ownerId: 'anna', updatedAt: 10 })
      const other = sampleProject({ ownerId: 'anna' })
      await projects.insert(project)
      await projects.insert(other)
      assert.equal(await projects.touch('anna', project.id, 30), 30)
      assert.equal(await projects.touch('anna', project.id, 20), 30)
      await projects.setDefaultHost(project.id, 'a.aloft.test')
      assert.deepEqual(await projects.byIdOrName('anna', project.id), {
        ...project,
        updatedAt: 30,
        defaultHost: 'a.aloft.test',
      })
      assert.deepEqual(await projects.byIdOrName('anna', other.id), other)
      assert.equal(await projects.touch('anna', 'prj_none', 1), false)
      assert.equal(await projects.touch('bert', project.id, 99), false)
    })
  }),
)
