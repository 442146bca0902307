import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { newId } from '#contract/ids.ts'
import type { Alias } from '#core/alias/alias.ts'
import type { Deployment } from '#core/deployment/deployment.ts'
import { untilBlocked } from '#test/support/blocked.ts'
import { eachDatabase, type OpenDatabase } from '#test/support/database/databases.ts'
import { openStores } from '#test/support/database/stores.ts'
import {
  sampleAlias,
  sampleDeployment,
  sampleEntry,
  sampleProject,
  sampleProjectDomain,
} from '#test/support/samples.ts'

async function openHosts(t: TestContext, open: OpenDatabase) {
  const opened = await openStores(t, open)
  const { hosts, deployments } = opened.stores
  const deploy = async (given: Partial<Deployment> = {}) => {
    const deployment = sampleDeployment({ ownerId: 'anna', ...given })
    await deployments.insert(deployment, { manifest: [sampleEntry('a')], sealedEnv: '' })
    return deployment
  }
  const deployment = await deploy()
  const point = async (given: Partial<Alias> = {}) => {
    const alias = sampleAlias({ ownerId: 'anna', deploymentId: deployment.id, ...given })
    assert.equal(await hosts.claimAlias(alias), true)
    return alias
  }
  const listed = async (filter = {}, limit = 100) =>
    (await hosts.list('anna', { limit }, filter)).items.map(({ host }) => host)
  return { ...opened, hosts, deployments, deployment, deploy, point, listed }
}

eachDatabase((name, open) =>
  describe(`hosts on ${name}`, () => {
    it('tells who holds a host', async (t) => {
      const { hosts, deployment, point } = await openHosts(t, open)
      assert.equal(await hosts.claimForDeployment('own.aloft.test', deployment), true)
      const alias = await point({ host: 'site.aloft.test', production: true, createdAt: 5 })
      assert.deepEqual(await hosts.holder('own.aloft.test'), {
        kind: 'deployment',
        ownerId: 'anna',
        deploymentId: deployment.id,
      })
      assert.deepEqual(await hosts.holder('Site.Aloft.test'), { kind: 'alias', ...alias })
      assert.equal(await hosts.holder('free.aloft.test'), undefined)
    })

    it('tells whose domain a host is while nothing is shown there', async (t) => {
      const { hosts, stores, point } = await openHosts(t, open)
      const project = sampleProject({ ownerId: 'anna' })
      await stores.projects.insert(project)
      const domain = sampleProjectDomain({ projectId: project.id, ownerId: 'anna' })
      await stores.projectDomains.add({ ...domain, name: 'waits.example.com', verified: false })
      await stores.projectDomains.add(domain)
      assert.equal(await hosts.holder('waits.example.com'), undefined)
      const holder = { kind: 'project-domain', ownerId: 'anna', projectId: project.id }
      assert.deepEqual(await hosts.holder('WWW.example.com'), holder)
      const alias = await point({ host: domain.name })
      assert.deepEqual(await hosts.holder(domain.name), { kind: 'alias', ...alias })
      await hosts.release(domain.name)
      assert.deepEqual(await hosts.holder(domain.name), holder)
    })

    it('finds an alias by id or name among the own ones, and no host of a deployment', async (t) => {
      const { hosts, deployment, point } = await openHosts(t, open)
      await hosts.claimForDeployment('own.aloft.test', deployment)
      const alias = await point({ host: 'site.aloft.test' })
      assert.deepEqual(await hosts.alias('anna', alias.id), alias)
      assert.deepEqual(await hosts.alias('anna', 'SITE.aloft.test'), alias)
      for (const key of [alias.id, alias.host]) assert.equal(await hosts.alias('bert', key), undefined)
      assert.equal(await hosts.alias('anna', 'own.aloft.test'), undefined)
      assert.equal(await hosts.alias('anna', 'none'), undefined)
    })

    it('gives a host once, to a deployment or to an alias', async (t) => {
      const { hosts, deployment, deploy, point, listed } = await openHosts(t, open)
      const other = await deploy({ ownerId: 'bert' })
      await hosts.claimForDeployment('own.aloft.test', deployment)
      const alias = await point({ host: 'site.aloft.test' })
      for (const host of ['own.aloft.test', 'site.aloft.test']) {
        assert.equal(await hosts.claimForDeployment(host, other), false)
        assert.equal(await hosts.claimAlias(sampleAlias({ host, deploymentId: other.id })), false)
      }
      assert.deepEqual(await hosts.holder('site.aloft.test'), { kind: 'alias', ...alias })
      assert.deepEqual(await listed(), ['site.aloft.test'])
    })

    it('lets one of many that claim a host at once have it', async (t) => {
      const first = await openHosts(t, open)
      const all = [first, await first.again(), await first.again()]
      const claims = await Promise.all(
        Array.from({ length: 18 }, (_, i) =>
          (all[i % 3] ?? first).transact(({ hosts }) =>
            i % 2
              ? hosts.claimForDeployment('wanted.aloft.test', first.deployment)
              : hosts.claimAlias(
                  sampleAlias({
                    host: 'wanted.aloft.test',
                    ownerId: 'anna',
                    deploymentId: first.deployment.id,
                    id: newId.alias(),
                  }),
                ),
          ),
        ),
      )
      assert.equal(claims.filter(Boolean).length, 1)
      assert.notEqual(await first.hosts.holder('wanted.aloft.test'), undefined)
    })

    it('moves an alias, which keeps its id and age', async (t) => {
      const { hosts, deployment, deploy, point, listed } = await openHosts(t, open)
      const stays = await point({ projectId: 'prj_one', host: 'stays.aloft.test', createdAt: 1 })
      const alias = await point({ projectId: 'prj_one', host: 'moves.aloft.test', createdAt: 2 })
      const next = await deploy()
      const to = { deploymentId: next.id, projectId: 'prj_two', production: true }
      assert.equal(await hosts.point(alias.host, deployment.id, to), true)
      assert.deepEqual(await hosts.alias('anna', alias.id), { ...alias, ...to })
      assert.deepEqual(await hosts.ofDeployment(deployment.id), [stays])
      assert.deepEqual(await hosts.ofDeployment(next.id), [{ ...alias, ...to }])
      assert.deepEqual(await listed({ projectId: 'prj_one' }), [stays.host])
      assert.deepEqual(await listed({ projectId: 'prj_two' }), [alias.host])
      for (const filter of [{}, { domain: 'aloft.test' }])
        assert.deepEqual(await listed(filter), [alias.host, stays.host])
      assert.deepEqual(await listed({ domain: alias.host }), [alias.host])
    })

    it('moves an alias from a deleted deployment to another project, in whose lists it is then', async (t) => {
      const { hosts, deployments, deployment, deploy, point, listed } = await openHosts(t, open)
      const alias = await point({ projectId: 'prj_one', host: 'moves.aloft.test' })
      const next = await deploy()
      await deployments.delete(deployment.id, 1)
      const to = { deploymentId: next.id, projectId: 'prj_two', production: false }
      assert.equal(await hosts.point(alias.host, deployment.id, to), true)
      assert.deepEqual(await listed({ projectId: 'prj_one' }), [])
      for (const filter of [{}, { projectId: 'prj_two' }, { domain: 'aloft.test' }])
        assert.deepEqual(await listed(filter), [alias.host])
    })

    it('does not move what has moved on, what is no alias, and what is not there', async (t) => {
      const { hosts, deployment, deploy, point } = await openHosts(t, open)
      const alias = await point()
      const [second, third] = [await deploy(), await deploy()]
      const to = ({ id }: Deployment) => ({ deploymentId: id, projectId: 'prj_two', production: false })
      assert.equal(await hosts.point(alias.host, deployment.id, to(second)), true)
      assert.equal(await hosts.point(alias.host, deployment.id, to(third)), false)
      assert.equal((await hosts.alias('anna', alias.id))?.deploymentId, second.id)
      await hosts.claimForDeployment('own.aloft.test', deployment)
      assert.equal(await hosts.point('own.aloft.test', deployment.id, to(second)), false)
      assert.equal(await hosts.point('none.aloft.test', deployment.id, to(second)), false)
    })

    it('lets one of many that move an alias at once move it', async (t) => {
      const first = await openHosts(t, open)
      const all = [first, await first.again(), await first.again()]
      const alias = await first.point()
      const targets: Deployment[] = []
      for (let i = 0; i < 12; i++) targets.push(await first.deploy())
      const moves = await Promise.all(
        targets.map(({ id }, i) =>
          (all[i % 3] ?? first).transact(({ hosts }) =>
            hosts.point(alias.host, first.deployment.id, {
              deploymentId: id,
              projectId: alias.projectId,
              production: false,
            }),
          ),
        ),
      )
      const winner = moves.indexOf(true)
      assert.equal(moves.lastIndexOf(true), winner)
      assert.equal((await first.hosts.alias('anna', alias.id))?.deploymentId, targets[winner]?.id)
      assert.equal((await first.listed()).length, 1)
    })

    it('points nothing to a deleted deployment', async (t) => {
      const { hosts, deployments, deployment, deploy, point } = await openHosts(t, open)
      const alias = await point()
      const gone = await deploy()
      await deployments.delete(gone.id, 1)
      const to = { deploymentId: gone.id, projectId: 'prj_x', production: false }
      assert.equal(await hosts.point(alias.host, deployment.id, to), false)
      assert.equal(await hosts.claimAlias(sampleAlias({ deploymentId: gone.id })), false)
      assert.equal((await hosts.alias('anna', alias.id))?.deploymentId, deployment.id)
    })

    it('lets whoever deletes a deployment see what was pointed to it at the same moment', async (t) => {
      const opened = await openHosts(t, open)
      const other = await opened.again()
      const alias = sampleAlias({ ownerId: 'anna', deploymentId: opened.deployment.id })
      const { removing } = await opened.transact(async ({ hosts }) => {
        await hosts.claimAlias(alias)
        const removing = other.transact(async (stores) => {
          await stores.deployments.delete(opened.deployment.id, 1)
          return stores.hosts.ofDeployment(opened.deployment.id)
        })
        await untilBlocked(other, removing)
        return { removing }
      })
      assert.deepEqual(await removing, [alias])
      assert.deepEqual(await opened.listed(), [])
    })

    it('lists aliases with where they lead, newest first, page by page', async (t) => {
      const { hosts, deployment, deploy, point } = await openHosts(t, open)
      const foreign = await deploy({ ownerId: 'bert' })
      const begun = await deploy({ host: null })
      const oldest = await point({ createdAt: 1, deploymentId: begun.id })
      const newest = await point({ createdAt: 3 })
      const middle = await point({ createdAt: 2 })
      await hosts.claimAlias(sampleAlias({ ownerId: 'bert', deploymentId: foreign.id }))
      await hosts.claimForDeployment('own.aloft.test', deployment)
      const page = await hosts.list('anna', { limit: 2 }, {})
      const { host: deploymentHost } = deployment
      assert.deepEqual(page.items, [
        { ...newest, deploymentHost },
        { ...middle, deploymentHost },
      ])
      assert.deepEqual(page.pagination, { count: 2, next: 2, prev: null })
      const last = await hosts.list('anna', { limit: 2, until: 2 }, {})
      assert.deepEqual(last.items, [{ ...oldest, deploymentHost: null }])
      assert.deepEqual((await hosts.list('anna', { limit: 2, since: 2 }, {})).items, [
        { ...newest, deploymentHost },
      ])
    })

    it('lists by project, by domain and everything under it, and by both', async (t) => {
      const { point, listed } = await openHosts(t, open)
      const make = (host: string, projectId: string, createdAt: number) =>
        point({ host, projectId, createdAt })
      await make('example.com', 'prj_one', 1)
      await make('www.example.com', 'prj_two', 2)
      await make('a.b.example.com', 'prj_one', 3)
      await make('notexample.com', 'prj_one', 4)
      await make('site.aloft.test', 'prj_two', 5)
      assert.deepEqual(await listed({ domain: 'Example.com' }), [
        'a.b.example.com',
        'www.example.com',
        'example.com',
      ])
      assert.deepEqual(await listed({ domain: 'b.example.com' }), ['a.b.example.com'])
      assert.deepEqual(await listed({ projectId: 'prj_two' }), ['site.aloft.test', 'www.example.com'])
      assert.deepEqual(await listed({ projectId: 'prj_one', domain: 'example.com' }), [
        'a.b.example.com',
        'example.com',
      ])
      assert.deepEqual(await listed({ domain: 'none.com' }), [])
    })

    it('leaves those of a deleted deployment out of lists until they point elsewhere', async (t) => {
      const { hosts, deployments, deployment, deploy, point, listed } = await openHosts(t, open)
      const alias = await point()
      const next = await deploy()
      const other = await point({ deploymentId: next.id, createdAt: 1 })
      await deployments.delete(deployment.id, 1)
      assert.deepEqual(await listed(), [other.host])
      assert.deepEqual(await hosts.ofDeployment(deployment.id), [alias])
      assert.deepEqual(await hosts.alias('anna', alias.id), alias)
      const to = { deploymentId: next.id, projectId: alias.projectId, production: false }
      assert.equal(await hosts.point(alias.host, deployment.id, to), true)
      assert.deepEqual(await listed(), [alias.host, other.host])
    })

    it('releases an alias, and never the host of a deployment', async (t) => {
      const { hosts, deployment, point, listed } = await openHosts(t, open)
      await hosts.claimForDeployment('own.aloft.test', deployment)
      const alias = await point()
      await hosts.release(alias.host)
      await hosts.release(alias.host)
      await hosts.release('own.aloft.test')
      assert.equal(await hosts.holder(alias.host), undefined)
      assert.equal((await hosts.holder('own.aloft.test'))?.kind, 'deployment')
      assert.deepEqual(await listed(), [])
      await point({ host: alias.host })
    })
  }),
)
