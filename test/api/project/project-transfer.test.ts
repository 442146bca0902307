import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { DAY } from '#contract/time.ts'
import { openValues } from '#core/deployment/env/frozen-values.ts'
import { BuildFailure } from '#core/ports/builder.ts'
import { apiSuite } from '#test/support/api-suite.ts'
import { outputOf, ScriptedBuilder } from '#test/support/scripted-builder.ts'

const builder = new ScriptedBuilder()

apiSuite('transfer of projects', suite, { workers: { builder } })

function suite(server: Parameters<Parameters<typeof apiSuite>[1]>[0]): void {
  let count = 0
  async function begin() {
    const user = await server.signUp()
    const { token } = user
    const slug = `movers-${++count}`
    const { body: team } = await server.call('POST /v1/teams', { token, body: { slug } })
    const name = `moving-${count}`
    const deploy = async (text: string, query = '', more: object = {}) => {
      const { status, body } = await server.call(`POST /v8/platform/deployments${query}`, {
        token,
        body: { name, version: 2, files: [{ file: 'index.html', data: text }], ...more },
      })
      assert.equal(status, 200, JSON.stringify(body))
      server.clock.advance(1)
      return body
    }
    const call = (on: string, body?: object) => server.call(on, { token, body })
    return { ...user, team, name, deploy, call, inTeam: `?teamId=${team.id}` }
  }

  test('a project goes to a team with all that belongs to it, and visitors notice nothing', async () => {
    const { id: userId, team, name, deploy, call, inTeam } = await begin()
    const gone = await deploy(`${name} gone`)
    await call(`DELETE /v8/platform/deployments/${gone.id}`)
    const live = await deploy(`${name} live`, '', { target: 'production', meta: { a: 'b' } })
    await call('POST /v2/platform/secrets', { name: 'db', value: 'the secret' })
    const variable = { key: 'DB', value: '@db', type: 'secret', target: ['production', 'preview'] }
    await call(`POST /v10/projects/${name}/env`, variable)

    const offer = await call(`POST /projects/${name}/transfer-request`)
    assert.equal(offer.status, 200)
    const blocked = await call(`POST /v10/projects/${name}/env`, { ...variable, key: 'OTHER' })
    assert.deepEqual([blocked.status, blocked.body.error.code], [409, 'conflict'])
    assert.ok((await call(`GET /v9/projects/${name}`)).body.transferStartedAt)

    const hosts = [live.url, `${name}.localhost`, live.aliasFinal[0]]
    const seen = new Set<string>()
    const visits = (async () => {
      for (let i = 0; i < 30; i++) {
        const answer = await server.visit(hosts[i % 3], '/')
        seen.add(`${answer.status} ${answer.body}`)
      }
    })()
    const [taken] = await Promise.all([
      call(`PUT /projects/transfer-request/${offer.body.code}${inTeam}`, {}),
      visits,
    ])
    assert.deepEqual([taken.status, taken.body.accountId, taken.body.name], [202, team.id, name])
    assert.deepEqual([...seen], [`200 ${name} live`])
    for (const host of hosts) assert.equal((await server.visit(host, '/')).body, `${name} live`)
    assert.equal((await server.visit(gone.url, '/')).status, 410)

    assert.equal((await call(`GET /v9/projects/${name}`)).status, 404)
    const { body: project } = await call(`GET /v9/projects/${name}${inTeam}`)
    assert.deepEqual(
      [project.id, project.targets.production.id, project.targets.production.teamId],
      [live.projectId, live.id, team.id],
    )
    assert.deepEqual(
      [project.transferredFromAccountId, project.transferToAccountId, project.transferCompletedAt > 0],
      [userId, team.id, true],
    )
    const ids = async (query: string) =>
      (await call(`GET /v3/platform/deployments${query}`)).body.deployments.map(
        ({ uid }: { uid: string }) => uid,
      )
    assert.deepEqual(await ids(''), [])
    assert.deepEqual(await ids(`${inTeam}&meta-a=b`), [live.id])
    const aliases = async (query: string) =>
      (await call(`GET /v2/platform/aliases${query}`)).body.aliases.map(
        ({ alias }: { alias: string }) => alias,
      )
    assert.deepEqual(await aliases(''), [])
    assert.deepEqual((await aliases(inTeam)).sort(), live.aliasFinal.toSorted())
    assert.equal((await call(`GET /v8/platform/deployments/${live.id}`)).status, 403)

    const anew = await deploy(`${name} anew`, inTeam, { target: 'production' })
    assert.equal(anew.projectId, live.projectId)
    assert.equal((await server.visit(`${name}.localhost`, '/')).body, `${name} anew`)
    const sealed = (await server.parts.stores.deployments.sealedEnv(anew.id)) ?? ''
    assert.deepEqual(openValues(server.parts.vault, anew.id, sealed).env, { DB: 'the secret' })
    assert.notEqual((await deploy(`${name} mine`)).projectId, live.projectId)
  })

  test('what a project is made of is kept for its new account', async () => {
    const { name, deploy, call, inTeam } = await begin()
    await deploy(`${name} kept`)
    const { body: offer } = await call(`POST /projects/${name}/transfer-request`)
    await call(`PUT /projects/transfer-request/${offer.code}${inTeam}`, {})
    server.clock.advance(3 * DAY)
    const operator = await server.operator()
    const run = await server.call('POST /v1/operator/jobs/files.collect/run', { token: operator.token })
    assert.equal(run.status < 300, true)
    await server.runJobs()
    const sha256 = createHash('sha256').update(`${name} kept`).digest('hex')
    assert.equal((await server.parts.blobs.read(sha256))?.toString(), `${name} kept`)
  })

  test('addresses that deploy a project without a token are not known to whoever had it', async () => {
    const { name, deploy, call, inTeam } = await begin()
    await deploy(name)
    const { body: hooked } = await call(`POST /v2/projects/${name}/deploy-hooks`, {
      name: 'cms',
      ref: 'main',
    })
    const url = 'https://git.example/me/site.git'
    const { body: connected } = await call(`PUT /v1/projects/${name}/git`, { url })
    assert.match(connected.webhookSecret, /^\w{32}$/)
    const known = [hooked.link.deployHooks[0].url, connected.webhookUrl]
    const answers = async (urls: readonly string[]) => {
      const all = await Promise.all(urls.map((one) => server.call(`POST ${new URL(one).pathname}`)))
      return all.map(({ status }) => status)
    }
    assert.deepEqual(await answers(known), [201, 202])
    await server.runJobs()

    const { body: offer } = await call(`POST /projects/${name}/transfer-request`)
    assert.equal((await call(`PUT /projects/transfer-request/${offer.code}${inTeam}`, {})).status, 202)
    assert.deepEqual(await answers(known), [404, 404])
    const hooks = await call(`GET /v2/projects/${name}/deploy-hooks${inTeam}`)
    assert.deepEqual(hooks.body.deployHooks, [])
    const { body: source } = await call(`GET /v1/projects/${name}/git${inTeam}`)
    assert.deepEqual([source.url, await answers([source.webhookUrl])], [url, [202]])
    const { body: anew } = await call(`PUT /v1/projects/${name}/git${inTeam}`, { url })
    assert.match(anew.webhookSecret, /^\w{32}$/)
    assert.notEqual(anew.webhookSecret, connected.webhookSecret)
  })

  test('a content that is damaged is not taken for whole because its project is given away', async () => {
    const { name, deploy, call, inTeam } = await begin()
    await deploy(`${name} damaged`)
    const sha256 = createHash('sha256').update(`${name} damaged`).digest('hex')
    const { files } = server.parts.stores
    const before = await files.countDamaged()
    await files.addDamaged(sha256, server.clock.now())
    const { body: offer } = await call(`POST /projects/${name}/transfer-request`)
    assert.equal((await call(`PUT /projects/transfer-request/${offer.code}${inTeam}`, {})).status, 202)
    assert.equal(await files.countDamaged(), before + 1)
  })

  test('an account takes no more than it may have, is told what is too much, and loses nothing', async () => {
    const { name, deploy, call, token, id: from } = await begin()
    const first = await deploy(`${name} first`, '', { target: 'production' })
    await deploy(`${name} second`)
    const taker = await server.signUp()
    const { token: operator } = await server.operator()
    const limit = async (limits: Record<string, number | 'default'>) =>
      assert.equal(
        (
          await server.call(`PATCH /v1/operator/accounts/${taker.email}/quotas`, {
            token: operator,
            body: limits,
          })
        ).status,
        200,
      )
    const usage = async (of: string) => {
      const { body } = await server.call('GET /v1/usage', { token: of })
      const used = (what: string) => body.quotas.find((use: { name: string }) => use.name === what).used
      return [used('deployments'), used('contentBytes'), used('keptInstances'), used('aliases')]
    }
    const { gitSizes, deployments } = server.parts.stores
    await gitSizes.set(first.projectId, 1000)
    await deployments.update(first.id, { scale: { min: 1, max: 2 } })
    const had = await usage(token)
    const [, bytes, , aliases] = had
    const { body: offer } = await call(`POST /projects/${name}/transfer-request`)
    const take = () =>
      server.call(`PUT /projects/transfer-request/${offer.code}`, { token: taker.token, body: {} })
    for (const [quota, most, words] of [
      ['deployments', 1, /2 deployments/],
      ['contentBytes', bytes - 1, /would add 1 KB/],
      ['contentBytes', 999, /would add/],
      ['keptInstances', 0, /1 instance that always runs/],
      ['aliases', aliases - 1, new RegExp(`${aliases} aliases`)],
    ] as const) {
      await limit({
        deployments: 'default',
        contentBytes: 'default',
        keptInstances: 'default',
        aliases: 'default',
        [quota]: most,
      })
      const refused = await take()
      const { code, quota: what, limit: shown, used, message } = refused.body.error ?? {}
      assert.deepEqual([refused.status, code, what, shown, used], [403, 'quota_exceeded', quota, most, 0])
      assert.match(message, words)
      assert.deepEqual(await usage(taker.token), [0, 0, 0, 0], 'nothing of it was copied')
      assert.deepEqual(await usage(token), had)
      assert.equal((await server.visit(first.url, '/')).body, `${name} first`)
    }
    await limit({ deployments: 2, contentBytes: bytes, keptInstances: 1, aliases })
    assert.equal((await take()).status, 202, 'exactly as much as it may have')
    assert.deepEqual(await usage(taker.token), had)
    assert.equal((await server.visit(first.url, '/')).body, `${name} first`)
    assert.equal(await gitSizes.used(from), 0)
  })

  test('projects that are taken at the same time are counted together', async () => {
    const { name, deploy, call, team, inTeam } = await begin()
    const { token: operator } = await server.operator()
    const names = Array.from({ length: 4 }, (_, n) => `${name}-${n}`)
    const codes: string[] = []
    for (const each of names) {
      const { projectId } = await deploy(`${each} content`, '', { name: each })
      await server.parts.stores.gitSizes.set(projectId, 1000)
      codes.push((await call(`POST /projects/${each}/transfer-request`)).body.code)
    }
    const body = { deployments: 3, contentBytes: 2100 }
    const set = await server.call(`PATCH /v1/operator/accounts/${team.id}/quotas`, { token: operator, body })
    assert.equal(set.status, 200, JSON.stringify(set.body))
    const answers = await Promise.all(
      codes.map((code) => call(`PUT /projects/transfer-request/${code}${inTeam}`, {})),
    )
    assert.deepEqual(answers.map(({ status }) => status).sort(), [202, 202, 403, 403])
    assert.equal(await server.parts.stores.gitSizes.used(team.id), 2000)
  })

  test('an offer is for others, counts once, can be taken back, and ends', async () => {
    const { token, name, call, inTeam } = await begin()
    await call('POST /v10/projects', { name })
    const offer = async () => (await call(`POST /projects/${name}/transfer-request`)).body.code
    const accept = (code: string, query = inTeam, body: object = {}) =>
      call(`PUT /projects/transfer-request/${code}${query}`, body)
    const first = await offer()
    const second = await offer()
    assert.equal((await accept(first)).status, 404)
    assert.equal((await accept(second, '')).status, 400)
    assert.equal((await call(`DELETE /projects/${name}/transfer-request`)).status, 204)
    assert.equal((await call(`DELETE /projects/${name}/transfer-request`)).status, 404)
    assert.equal((await accept(second)).status, 404)
    assert.equal((await call(`GET /v9/projects/${name}`)).body.transferStartedAt, undefined)

    const late = await offer()
    server.clock.advance(DAY + 1)
    assert.equal((await accept(late)).status, 404)
    const variable = { key: 'A', value: 'x', type: 'plain', target: 'preview' }
    assert.equal((await call(`POST /v10/projects/${name}/env`, variable)).status, 201)

    await call(`POST /v10/projects${inTeam}`, { name })
    const third = await offer()
    const taken = await accept(third)
    assert.deepEqual([taken.status, taken.body.error.code], [409, 'conflict'])
    assert.equal((await accept(third, inTeam, { newProjectName: 'Not A Name' })).status, 400)
    const renamed = await accept(third, inTeam, { newProjectName: `${name}-two` })
    assert.deepEqual([renamed.status, renamed.body.name], [202, `${name}-two`])
    assert.equal((await accept(third)).status, 404)
    assert.equal((await server.call('POST /projects/none/transfer-request', { token })).status, 404)
  })

  test('a project goes back to a person, but not at the word of a member', async () => {
    const { name, team, call, inTeam } = await begin()
    await call(`POST /v10/projects${inTeam}`, { name })
    const member = await server.signUp()
    await call(`POST /v1/teams/${team.id}/members`, { email: member.email })
    const refused = await server.call(`POST /projects/${name}/transfer-request${inTeam}`, {
      token: member.token,
    })
    assert.deepEqual([refused.status, refused.body.error.code], [403, 'forbidden'])
    const { body: offer } = await call(`POST /projects/${name}/transfer-request${inTeam}`)
    const taken = await server.call(`PUT /projects/transfer-request/${offer.code}`, {
      token: member.token,
      body: {},
    })
    assert.deepEqual([taken.status, taken.body.accountId], [202, member.id])
  })

  test('a project stays where it is while something of it is being built', async () => {
    const { name, deploy, call, inTeam } = await begin()
    const files = [{ file: 'package.json', data: JSON.stringify({ scripts: { build: 'make' } }) }]
    builder.next(() => Promise.reject(new BuildFailure('build_failed', 'It cannot be made.')))
    await deploy('', '', { files })
    const { body: offer } = await call(`POST /projects/${name}/transfer-request`)
    assert.equal((await call(`PUT /projects/transfer-request/${offer.code}${inTeam}`, {})).status, 409)
    await server.runJobs()
    assert.equal((await call(`PUT /projects/transfer-request/${offer.code}${inTeam}`, {})).status, 202)
  })

  test('what is built while the files of a project are copied is kept for its new account', async (t) => {
    const { name, team, deploy, call, inTeam } = await begin()
    const files = [{ file: 'package.json', data: JSON.stringify({ scripts: { build: 'make' } }) }]
    const output = outputOf({ 'index.html': `${name} built` })
    builder.next(async () => output)
    const other = await deploy(`${name} other`)
    const { id } = await deploy('', '', { files })
    const { body: offer } = await call(`POST /projects/${name}/transfer-request`)
    for (const { stores } of server.allParts) {
      const { states } = stores.projects
      t.mock.method(
        stores.projects,
        'states',
        async (...of: Parameters<typeof states>) =>
          new Map([...(await states(...of))].sort(([a], [b]) => Number(b === id) - Number(a === id))),
      )
      // The build ends once nothing more is asked of it, and others are copied.
      const { find } = stores.outputs
      t.mock.method(stores.outputs, 'find', async (deploymentId: string) => {
        const found = await find(deploymentId)
        if (deploymentId === other.id) await server.runJobs()
        return found
      })
    }
    assert.equal((await call(`PUT /projects/transfer-request/${offer.code}${inTeam}`, {})).status, 202)
    const { stores } = server.parts
    assert.equal((await stores.deployments.find(id))?.ownerId, team.id)
    const sha1s = output.files.map(({ sha1 }) => sha1)
    assert.deepEqual([...(await stores.files.claim(team.id, sha1s, server.clock.now())).keys()], sha1s)
  })
}
