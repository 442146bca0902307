import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '#contract/ids.ts'
import { platformNames } from '#core/alias/platform-names.ts'
import { releaseReserved } from '#core/alias/release-reserved.ts'
import { readConfig } from '#src/config/config.ts'
import { apiSuite } from '#test/support/api-suite.ts'
import { sampleAlias, sampleProjectDomain, sampleTeam } from '#test/support/samples.ts'
import type { Account } from '#test/support/server.ts'
import { silentLog } from '#test/support/silent-log.ts'

const RESERVED = [
  ...['www', 'api', 'alias', 'admin', 'login', 'dashboard', 'mail', 'wpad', 'autoconfig', 'status'],
  ...['ns1', 'ns2', 'ns7', 'api-iad1', 'panel', 'dns'],
]
const env = {
  ALOFT_API_HOSTS: 'localhost,127.0.0.1,panel.localhost',
  ALOFT_NAMESERVERS: 'ns1.localhost,dns.localhost',
}
const names = platformNames(readConfig({ ALOFT_BASE_URL: 'http://aloft.test', ...env }))

apiSuite(
  'names of the platform',
  (server) => {
    const deploy = async ({ token }: Account, name: string, more: object = {}, query = '') =>
      (
        await server.call(`POST /v8/platform/deployments${query}`, {
          token,
          body: { name, version: 2, files: [{ file: 'index.html', data: `${name} was here` }], ...more },
        })
      ).body
    const visited = async (host: string) => (await server.visit(host, '/')).body

    test('no project is served under them by itself, nor after a promotion or a rename', async () => {
      const user = await server.signUp()
      for (const name of RESERVED) {
        const { id, aliasFinal } = await deploy(user, name, { target: 'production' })
        assert.deepEqual(aliasFinal.length, 1, JSON.stringify(aliasFinal))
        const { status } = await server.call(`POST /v10/projects/${name}/promote/${id}`, {
          token: user.token,
          body: {},
        })
        assert.ok(status < 300, `${name}: ${status}`)
        assert.ok(!(await visited(`${name}.localhost`)).includes('was here'), name)
      }
      const { id } = await deploy(user, 'harmless', { target: 'production' })
      await server.call('PATCH /v9/projects/harmless', { token: user.token, body: { name: 'smtp' } })
      await server.call(`POST /v10/projects/smtp/promote/${id}`, { token: user.token, body: {} })
      await deploy(user, 'smtp', { target: 'production' })
      assert.ok(!(await visited('smtp.localhost')).includes('was here'))
    })

    test('nobody gets them by asking', async () => {
      const user = await server.signUp()
      const { id } = await deploy(user, 'asking')
      for (const name of [...RESERVED, `x.panel`, 'webmail', 'imap']) {
        const alias = `${name}.localhost`
        const asked = await server.call(`POST /v2/platform/deployments/${id}/aliases`, {
          token: user.token,
          body: { alias },
        })
        assert.deepEqual([asked.status, asked.body.error.code], [400, 'invalid_alias'], alias)
        const told = await deploy(user, 'asking', { target: 'production', alias: [alias] })
        assert.equal(told.error?.code, 'invalid_alias', alias)
        const attached = await server.call('POST /v10/projects/asking/domains', {
          token: user.token,
          body: { name: alias },
        })
        assert.equal(attached.status, 409, alias)
      }
    })

    test('words of nine letters are for people, addresses of deployments are not', async () => {
      const user = await server.signUp()
      const { id } = await deploy(user, 'words')
      const ask = async (alias: string) =>
        (
          await server.call(`POST /v2/platform/deployments/${id}/aliases`, {
            token: user.token,
            body: { alias },
          })
        ).status
      assert.equal(await ask(`my-dashboard-${'of'}`), 200)
      assert.equal(await ask('my-dashboard'), 200)
      assert.equal(await ask('my-abc123def'), 400)
      assert.equal(await ask('my-abc123def-team'), 400)
      for (let i = 0; i < 2000; i++) assert.match(newId.deploymentHash(), /^(?=.*\d)(?=.*[a-z])[a-z0-9]{9}$/)
    })

    test('no account is called like them', async () => {
      const user = await server.signUp()
      for (const slug of ['www', 'mail', 'ns2']) {
        const { status, body } = await server.call('POST /v1/teams', { token: user.token, body: { slug } })
        assert.deepEqual([status, body.error.code], [400, 'slug_taken'])
      }
      const admin = await server.signUp('admin@example.com')
      assert.match(admin.username, /^admin-[0-9a-f]{4}$/)
    })

    test('an account that was called like one has no staging names, and default names give way', async () => {
      const user = await server.signUp('iad1@example.com')
      assert.equal(user.username, 'iad1')
      const { aliasFinal } = await deploy(user, 'api')
      assert.match(aliasFinal[0], /^api-iad1-[0-9a-f]{4}\.localhost$/)
      const team = sampleTeam({ slug: 'status', creatorId: user.id })
      await server.parts.stores.teams.insert(team, user.id)
      const staged = await deploy(user, 'page', { target: 'staging' }, `?teamId=${team.id}`)
      assert.equal(staged.aliasFinal.length, 1)
    })

    test('what was given away before is taken back', async () => {
      const user = await server.signUp()
      const { id, projectId, aliasFinal } = await deploy(user, 'old-times', { target: 'production' })
      const { hosts, projectDomains, teams } = server.parts.stores
      const to = { ownerId: user.id, projectId, deploymentId: id, production: true }
      const team = sampleTeam({ slug: 'mail', creatorId: user.id })
      await teams.insert(team, user.id)
      const inTeam = await deploy(user, 'of-team', {}, `?teamId=${team.id}`)
      const taken = ['www.localhost', 'ns2.localhost', 'panel.localhost', '*.localhost']
      for (const host of taken) await hosts.claimAlias(sampleAlias({ host, ...to }))
      const staging = 'of-team.mail.localhost'
      await hosts.claimAlias(
        sampleAlias({
          ...{ host: staging, ownerId: team.id, projectId: inTeam.projectId, deploymentId: inTeam.id },
        }),
      )
      const domain = { name: 'login.localhost', ownerId: user.id, projectId, verified: true }
      await projectDomains.add(sampleProjectDomain(domain))
      const told: string[] = []
      const release = () =>
        releaseReserved({
          transact: server.parts.transact,
          names,
          onHostsChanged: (changed) => void told.push(...changed),
          log: silentLog,
        })
      await release()
      assert.deepEqual(told.toSorted(), [...taken, staging, 'login.localhost'].toSorted())
      for (const host of told) assert.equal(await hosts.holder(host), undefined, host)
      for (const host of aliasFinal) assert.ok(await hosts.holder(host), host)
      await release()
      assert.equal(told.length, taken.length + 2)
    })
  },
  { env },
)
