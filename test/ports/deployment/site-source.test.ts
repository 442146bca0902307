import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { createSiteSource } from '#adapters/sql/deployment/site-source.ts'
import type { Deployment } from '#core/deployment/deployment.ts'
import type { ManifestFile } from '#core/deployment/file/manifest.ts'
import { eachDatabase, type OpenDatabase } from '#test/support/database/databases.ts'
import { openStores } from '#test/support/database/stores.ts'
import {
  sampleAlias,
  sampleDeployment,
  sampleEntry,
  sampleOutput,
  sampleProject,
  sampleProjectDomain,
  sampleTeam,
  sampleUser,
} from '#test/support/samples.ts'

const INDEX = sampleEntry('index.html')

const pointerTo = ({ id, ownerId, projectId }: Deployment) => ({ deploymentId: id, ownerId, projectId })

async function openSites(t: TestContext, open: OpenDatabase) {
  const opened = await openStores(t, open)
  const { users, teams, projects, hosts, deployments } = opened.stores
  const user = sampleUser()
  await users.insert(user)
  const team = sampleTeam({ creatorId: user.id })
  await teams.insert(team, user.id)
  const project = sampleProject({ ownerId: user.id, directoryListing: true })
  await projects.insert(project)
  const deploy = async (
    host: string,
    given: Partial<Deployment> = {},
    manifest: readonly ManifestFile[] = [INDEX],
  ) => {
    const deployment = sampleDeployment({ ownerId: user.id, projectId: project.id, host, ...given })
    await deployments.insert(deployment, { manifest, sealedEnv: 'sealed' })
    assert.equal(await hosts.claimForDeployment(host, deployment), true)
    return deployment
  }
  const sites = createSiteSource(opened.database.db, { domain: 'aloft.test' })
  const statusOf = async (host: string) => (await sites.find(host))?.status
  return { ...opened.stores, sites, statusOf, deploy, user, team, project }
}

eachDatabase((name, open) =>
  describe(`sites on ${name}`, () => {
    it('puts a site together from its deployment, its files and its project', async (t) => {
      const { sites, deploy, user, project } = await openSites(t, open)
      const routes = [{ src: '/a', dest: '/b', status: 301 }, { handle: 'filesystem' as const }]
      const image = sampleEntry('img/ü "1".png')
      const { id } = await deploy('a.aloft.test', { routes }, [
        INDEX,
        { ...sampleEntry('src/main.ts'), hidden: true },
        { ...image, mode: 0o100755 },
      ])
      assert.deepEqual(await sites.find('a.aloft.test'), {
        host: 'a.aloft.test',
        deploymentHost: 'a.aloft.test',
        canonicalHost: 'a.aloft.test',
        platformDomain: 'aloft.test',
        deploymentId: id,
        projectId: project.id,
        ownerId: user.id,
        environment: 'preview',
        status: 'ready',
        files: new Map([
          [INDEX.path, { sha256: INDEX.sha256, size: INDEX.size }],
          [image.path, { sha256: image.sha256, size: image.size }],
        ]),
        functions: new Map(),
        routes,
        directoryListing: true,
        sessionAffinity: 'random',
        regions: ['bru1'],
        routesFrom: 'request',
      })
    })

    it('names one host for pages that all visitors of a deployment get', async (t) => {
      const { sites, hosts, projectDomains, deploy, user, project } = await openSites(t, open)
      const deployment = await deploy('a-123456789.aloft.test', { target: 'production' })
      const to = { ...pointerTo(deployment), production: true }
      const name = async (
        host: string,
        createdAt: number,
        domain?: Parameters<typeof sampleProjectDomain>[0],
      ) => {
        await hosts.claimAlias(sampleAlias({ host, createdAt, ...to }))
        if (domain)
          await projectDomains.add(
            sampleProjectDomain({
              ownerId: user.id,
              projectId: project.id,
              name: host,
              createdAt,
              ...domain,
            }),
          )
      }
      const canonical = async () => (await sites.find('a-123456789.aloft.test'))?.canonicalHost
      assert.equal(await canonical(), 'a-123456789.aloft.test')
      await hosts.claimAlias(
        sampleAlias({ host: 'preview.aloft.test', createdAt: 1, ...to, production: false }),
      )
      await name('*.aloft-wild.test', 1)
      await name('a.aloft.test', 2)
      assert.equal(await canonical(), 'a.aloft.test')
      await name('example.test', 4, {})
      await name('other.example.test', 5, {})
      await name('www.example.test', 3, { redirect: 'example.test' })
      await name('branch.example.test', 3, { gitBranch: 'x' })
      assert.equal(await canonical(), 'example.test')
      const other = await sites.find('other.example.test')
      assert.deepEqual(
        [other?.host, other?.deploymentHost, other?.canonicalHost],
        ['other.example.test', 'a-123456789.aloft.test', 'example.test'],
      )
    })

    it('shows under every name what an alias with a star points to, unless the name is somebody’s', async (t) => {
      const { sites, hosts, deploy } = await openSites(t, open)
      const [wide, exact] = [await deploy('a.aloft.test'), await deploy('b.aloft.test')]
      const claim = (host: string, deployment: Deployment) =>
        hosts.claimAlias(sampleAlias({ host, ...pointerTo(deployment), production: true }))
      await claim('*.example.test', wide)
      await claim('exact.example.test', exact)
      const shown = async (host: string) => (await sites.find(host))?.deploymentId
      assert.equal(await shown('any.example.test'), wide.id)
      assert.equal((await sites.find('any.example.test'))?.host, 'any.example.test')
      assert.equal(await shown('exact.example.test'), exact.id)
      for (const host of ['example.test', 'a.any.example.test', 'anyexample.test'])
        assert.equal(await shown(host), undefined, host)
    })

    it('has what a wildcard shows in memory once, whatever names somebody makes up', async (t) => {
      const { sites, hosts, outputs, deploy } = await openSites(t, open)
      const wide = await deploy('a.aloft.test', { routes: [{ src: '/a', dest: '/b' }] })
      await hosts.claimAlias(sampleAlias({ host: '*.example.test', ...pointerTo(wide), production: true }))
      const names = ['x.example.test', 'y.example.test', 'z.example.test']
      const [first, ...others] = await Promise.all(names.map((host) => sites.find(host)))
      assert.equal(first?.wildcard, '*.example.test')
      assert.deepEqual(first, { ...(await sites.find('a.aloft.test')), ...first })
      for (const other of [...others, await sites.find('w.example.test')])
        assert.equal(other?.files, first?.files)
      const built = await deploy('b.aloft.test')
      await outputs.save(built.id, sampleOutput())
      await hosts.claimAlias(sampleAlias({ host: '*.built.test', ...pointerTo(built), production: true }))
      const { files, functions, routes, images, routesFrom } = (await sites.find('b.aloft.test')) ?? {}
      const shown = await sites.find('x.built.test')
      assert.deepEqual(
        [shown?.files, shown?.functions, shown?.routes, shown?.images, shown?.routesFrom],
        [files, functions, routes, images, routesFrom],
      )
    })

    it('shows what was built in the place of what was uploaded', async (t) => {
      const { sites, deploy, outputs } = await openSites(t, open)
      const given = { routes: [{ src: '/a', dest: '/b' }], buildingAt: 1234 }
      const { id } = await deploy('a.aloft.test', given, [INDEX])
      const output = sampleOutput()
      await outputs.save(id, output)
      const site = await sites.find('a.aloft.test')
      const [home, feed] = output.files
      assert.deepEqual([site?.routes, site?.builtAt], [output.routes, 1234])
      assert.deepEqual(
        site?.files,
        new Map([
          ['index.html', { sha256: home?.sha256, size: home?.size }],
          ['feed', { sha256: feed?.sha256, size: feed?.size, contentType: 'application/rss+xml' }],
        ]),
      )
      assert.deepEqual(
        site?.functions,
        new Map([
          ['api/hello', { path: 'api/hello', program: 'program-1', shape: 'handler', maxDuration: 10 }],
        ]),
      )
    })

    it('knows no host that nobody holds', async (t) => {
      const { sites } = await openSites(t, open)
      assert.equal(await sites.find('none.aloft.test'), undefined)
    })

    it('has no routes and no listing unless somebody asked for them', async (t) => {
      const { sites, deploy } = await openSites(t, open)
      await deploy('a.aloft.test', { projectId: 'prj_gone' })
      const site = await sites.find('a.aloft.test')
      assert.equal(site?.routes, undefined)
      assert.equal(site?.directoryListing, false)
    })

    it('is what the deployment was made for under its own host, and what the alias says under that', async (t) => {
      const { sites, deploy, hosts } = await openSites(t, open)
      const environmentOf = async (host: string) => (await sites.find(host))?.environment
      const made = await deploy('made.aloft.test', { target: 'production' })
      const preview = await deploy('preview.aloft.test', { target: 'staging' })
      const point = (host: string, { id, ownerId, projectId }: Deployment, production: boolean) =>
        hosts.claimAlias(sampleAlias({ host, ownerId, projectId, deploymentId: id, production }))
      await point('site.aloft.test', made, true)
      await point('latest.aloft.test', made, false)
      assert.equal(await environmentOf('made.aloft.test'), 'production')
      assert.equal(await environmentOf('preview.aloft.test'), 'preview')
      assert.equal(await environmentOf('site.aloft.test'), 'production')
      assert.equal(await environmentOf('latest.aloft.test'), 'preview')
      assert.equal((await sites.find('latest.aloft.test'))?.deploymentId, made.id)
      const to = { deploymentId: preview.id, projectId: preview.projectId, production: false }
      await hosts.point('site.aloft.test', made.id, to)
      assert.equal(await environmentOf('site.aloft.test'), 'preview')
      assert.equal((await sites.find('site.aloft.test'))?.deploymentId, preview.id)
    })

    it('tells why it does not serve: building, failed, blocked, deleted, the last before all others', async (t) => {
      const { sites, statusOf, deploy, deployments, users, user } = await openSites(t, open)
      const { id } = await deploy('a.aloft.test', { state: 'BUILDING' })
      for (const state of ['INITIALIZING', 'ANALYZING', 'DEPLOYING'] as const) {
        await deployments.update(id, { state })
        assert.equal(await statusOf('a.aloft.test'), 'building')
      }
      await deployments.update(id, { state: 'ERROR' })
      assert.equal(await statusOf('a.aloft.test'), 'failed')
      assert.equal((await sites.find('a.aloft.test'))?.files.size, 0)
      await users.update(user.id, { softBlocked: true })
      assert.equal(await statusOf('a.aloft.test'), 'blocked')
      await deployments.delete(id, 1)
      assert.equal(await statusOf('a.aloft.test'), 'deleted')
      await users.update(user.id, { softBlocked: false })
      const site = await sites.find('a.aloft.test')
      assert.equal(site?.status, 'deleted')
      assert.equal(site?.deploymentId, id)
      assert.equal(site?.files.size, 0)
    })

    it('says deleted under an alias that leads to a deleted deployment', async (t) => {
      const { statusOf, deploy, deployments, hosts } = await openSites(t, open)
      const { id, ownerId, projectId } = await deploy('a.aloft.test')
      await hosts.claimAlias(sampleAlias({ host: 'b.aloft.test', ownerId, projectId, deploymentId: id }))
      assert.equal(await statusOf('b.aloft.test'), 'ready')
      await deployments.delete(id, 1)
      assert.equal(await statusOf('b.aloft.test'), 'deleted')
    })

    it('is paused where production is shown, and nowhere else', async (t) => {
      const { projects, hosts, deploy, statusOf, project } = await openSites(t, open)
      const live = await deploy('live.aloft.test', { target: 'production' })
      await deploy('preview.aloft.test')
      for (const [host, production] of [
        ['a.aloft.test', true],
        ['b.aloft.test', false],
      ] as const)
        await hosts.claimAlias(sampleAlias({ host, production, ...pointerTo(live) }))
      const set = (paused: boolean) =>
        projects.update(project.id, { details: { ...project.details, paused } }, 1)
      const all = ['live.aloft.test', 'a.aloft.test', 'b.aloft.test', 'preview.aloft.test']
      await set(true)
      assert.deepEqual(await Promise.all(all.map(statusOf)), ['paused', 'paused', 'ready', 'ready'])
      await set(false)
      assert.deepEqual(await Promise.all(all.map(statusOf)), ['ready', 'ready', 'ready', 'ready'])
    })

    it('says who may visit each kind of host', async (t) => {
      const { projects, hosts, deploy, sites, project } = await openSites(t, open)
      const live = await deploy('live.aloft.test', { target: 'production' })
      await deploy('preview.aloft.test')
      await hosts.claimAlias(sampleAlias({ host: 'www.example.com', production: true, ...pointerTo(live) }))
      const details = {
        ...project.details,
        ssoProtection: { deploymentType: 'preview' as const },
        passwordProtection: {
          deploymentType: 'prod_deployment_urls_and_all_previews' as const,
          password: 'sealed',
          version: 'v1',
        },
      }
      await projects.update(project.id, { details }, 1)
      const protectionOf = async (host: string) => (await sites.find(host))?.protection
      const password = { sealed: 'sealed', version: 'v1' }
      const nothing = { optionsPaths: [], bypassHashes: [] }
      assert.equal(await protectionOf('www.example.com'), undefined)
      assert.deepEqual(await protectionOf('live.aloft.test'), { ...nothing, sso: false, password })
      assert.deepEqual(await protectionOf('preview.aloft.test'), { ...nothing, sso: true, password })
    })

    it('sends the visitors of a domain elsewhere once it is verified, and shows previews on those of branches', async (t) => {
      const { hosts, deploy, sites, projectDomains, project, user } = await openSites(t, open)
      const live = await deploy('live.aloft.test', { target: 'production' })
      const add = async (name: string, given: Parameters<typeof sampleProjectDomain>[0]) => {
        const ids = { projectId: project.id, ownerId: user.id }
        assert.equal(await projectDomains.add(sampleProjectDomain({ ...ids, name, ...given })), true)
        await hosts.claimAlias(sampleAlias({ host: name, production: true, ...pointerTo(live) }))
        return sites.find(name)
      }
      const to = { redirect: 'www.example.com' }
      const away = await add('example.com', { ...to, redirectStatusCode: 308 })
      assert.deepEqual(away?.redirect, { host: 'www.example.com', status: 308 })
      assert.equal((await add('a.example.com', to))?.redirect?.status, 307)
      assert.equal((await add('b.example.com', { ...to, verified: false }))?.redirect, undefined)
      assert.equal((await add('c.example.com', { gitBranch: 'next' }))?.environment, 'preview')
      assert.equal((await add('www.example.com', {}))?.environment, 'production')
    })

    it('is blocked with the team that owns it', async (t) => {
      const { statusOf, deploy, teams, team } = await openSites(t, open)
      await deploy('a.aloft.test', { ownerId: team.id })
      assert.equal(await statusOf('a.aloft.test'), 'ready')
      await teams.update(team.id, { softBlocked: true })
      assert.equal(await statusOf('a.aloft.test'), 'blocked')
    })
  }),
)
