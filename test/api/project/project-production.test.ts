import assert from 'node:assert/strict'
import { test } from 'node:test'
import { apiSuite } from '#test/support/api-suite.ts'
import { assertGolden } from '#test/support/golden.ts'
import { sampleDomain } from '#test/support/samples.ts'
import { outputOf, ScriptedBuilder } from '#test/support/scripted-builder.ts'

const builder = new ScriptedBuilder()

apiSuite('production of projects', suite, { workers: { builder } })

function suite(server: Parameters<Parameters<typeof apiSuite>[1]>[0]): void {
  let count = 0
  /** A project of a name that no other test has, with what can be done to it. */
  async function begin() {
    const { token, id } = await server.signUp()
    const name = `shop-${++count}`
    const deploy = async (text: string, target?: string, more: object = {}) => {
      const files = [{ file: 'index.html', data: text }]
      const { status, body } = await server.call('POST /v8/platform/deployments?forceNew=1', {
        token,
        body: { name, version: 2, files, ...(target ? { target } : {}), ...more },
      })
      assert.equal(status, 200, JSON.stringify(body))
      server.clock.advance(1)
      return body
    }
    return {
      token,
      id,
      name,
      host: `${name}.localhost`,
      deploy,
      post: (path: string) => server.call(`POST ${path}`, { token }),
      project: async () => (await server.call(`GET /v9/projects/${name}`, { token })).body,
      shown: async (host = `${name}.localhost`) => {
        const { status, body } = await server.visit(host, '/')
        return status === 200 ? body : status
      },
    }
  }

  test('deployments of a project are told with the names that lead to them now, and with who made them', async () => {
    const { name, token, deploy, post, project, host } = await begin()
    const { user } = (await server.call('GET /v2/user', { token })).body
    const always = `${name}-${user.username}.localhost`
    const aliases = async () => {
      const { latestDeployments, targets } = await project()
      const told = latestDeployments.map(({ id, alias }: { id: string; alias: string[] }) => [id, alias])
      return { ...Object.fromEntries(told), production: targets.production.alias }
    }
    const first = await deploy('first', 'production')
    const second = await deploy('second', 'production')
    assert.deepEqual(await aliases(), {
      [first.id]: [],
      [second.id]: [always, host],
      production: [always, host],
    })
    await post(`/v9/projects/${name}/rollback/${first.id}`)
    const third = await deploy('third', 'production')
    assert.deepEqual(await aliases(), {
      [first.id]: [host],
      [second.id]: [],
      [third.id]: [always],
      production: [host],
    })
    const { latestDeployments } = await project()
    const { id: uid, email, username } = user
    assert.deepEqual(latestDeployments[0].creator, { uid, email, username })
  })

  test('what is not paused is left as it is by the end of a pause', async () => {
    const { name, token, deploy, post, project } = await begin()
    await deploy('live', 'production')
    const body = { autoAssignCustomDomains: false }
    assert.equal((await server.call(`PATCH /v9/projects/${name}`, { token, body })).status, 200)
    const unpaused = await post(`/v1/projects/${name}/unpause`)
    assert.deepEqual([unpaused.status, unpaused.body], [200, {}])
    assert.equal((await project()).autoAssignCustomDomains, false)
  })

  test('a paused project answers 503 in production, and nowhere else', async () => {
    const { name, deploy, post, project, shown, host } = await begin()
    const preview = await deploy('preview')
    const live = await deploy('live', 'production')
    assert.equal(await shown(), 'live')
    const paused = await post(`/v1/projects/${name}/pause`)
    assert.deepEqual([paused.status, paused.body], [200, {}])
    assert.equal((await post(`/v1/projects/${(await project()).id}/pause`)).status, 200)
    const { paused: isPaused, autoAssignCustomDomains } = await project()
    assert.deepEqual([isPaused, autoAssignCustomDomains], [true, false])
    const answer = await server.visit(host, '/')
    assert.deepEqual([answer.status, answer.headers.get('x-platform-error')], [503, 'DEPLOYMENT_PAUSED'])
    assert.equal(await shown(live.url), 503)
    assert.equal(await shown(preview.url), 'preview')

    const waiting = await deploy('newer', 'production')
    assert.deepEqual([waiting.readyState, waiting.aliasAssigned], ['READY', true])
    assert.equal((await project()).targets.production.id, live.id)
    assert.equal((await post(`/v1/projects/${name}/unpause`)).status, 200)
    assert.equal(await shown(), 'newer')
    const after = await project()
    assert.deepEqual(
      [after.paused, after.autoAssignCustomDomains, after.targets.production.id],
      [false, true, waiting.id],
    )
    assert.equal((await post(`/v1/projects/${name}/unpause`)).status, 200)
    assert.equal(await shown(live.url), 'live')
  })

  test('an unknown project is a bad request where it is paused', async () => {
    const { token } = await server.signUp()
    for (const verb of ['pause', 'unpause']) {
      const answer = await server.call(`POST /v1/projects/none/${verb}`, { token })
      assert.deepEqual([answer.status, answer.body.error.code], [400, 'bad_request'])
      assert.equal((await server.call(`POST /v1/projects/none/${verb}`)).status, 401)
    }
  })

  test('to go on does not undo what was promoted before the pause', async () => {
    const { name, deploy, post, shown } = await begin()
    const first = await deploy('first', 'production')
    await deploy('second', 'production')
    await post(`/v10/projects/${name}/promote/${first.id}`)
    await post(`/v1/projects/${name}/pause`)
    await post(`/v1/projects/${name}/unpause`)
    assert.equal(await shown(), 'first')
  })

  test('to go on does not undo what was promoted during the pause', async () => {
    const { name, token, deploy, post, shown, project } = await begin()
    const first = await deploy('first', 'production')
    await post(`/v1/projects/${name}/pause`)
    await deploy('held', 'production')
    await post(`/v10/projects/${name}/promote/${first.id}`)
    server.clock.advance(1)
    await post(`/v1/projects/${name}/unpause`)
    assert.equal(await shown(), 'first')

    await post(`/v1/projects/${name}/pause`)
    await post(`/v10/projects/${name}/promote/${first.id}`)
    server.clock.advance(1)
    await deploy('newer', 'production')
    await post(`/v1/projects/${name}/unpause`)
    assert.equal(await shown(), 'newer')

    const stages = [{ targetPercentage: 0, duration: 10 }, { targetPercentage: 100 }]
    const path = `/v1/projects/${name}/rolling-release`
    assert.equal((await server.call(`PATCH ${path}/config`, { token, body: { stages } })).status, 200)
    await post(`/v1/projects/${name}/pause`)
    const { id } = await deploy('in steps', 'production')
    await post(`/v10/projects/${name}/promote/${id}`)
    await post(`/v1/projects/${name}/unpause`)
    const { state, canaryDeployment } = (await server.call(`GET ${path}`, { token })).body.rollingRelease
    assert.deepEqual([state, canaryDeployment.id, await shown()], ['ACTIVE', id, 'newer'])
    assert.equal((await project()).paused, false)
  })

  test('whether domains are taken is after a rollback as somebody has chosen, and always after a pause', async () => {
    const { name, token, deploy, post, shown, project } = await begin()
    const choose = async (autoAssignCustomDomains: boolean) => {
      const body = { autoAssignCustomDomains }
      assert.equal((await server.call(`PATCH /v9/projects/${name}`, { token, body })).status, 200)
    }
    const isOn = async () => (await project()).autoAssignCustomDomains
    const body = { name: `of-${name}.localhost` }
    const domain = body.name
    const first = await deploy('first', 'production')
    assert.equal((await server.call(`POST /v10/projects/${name}/domains`, { token, body })).status, 200)
    await choose(false)
    const second = await deploy('second', 'production')
    assert.deepEqual([await shown(), await shown(domain)], ['second', 'first'])

    for (let times = 0; times < 2; times++) await post(`/v9/projects/${name}/rollback/${first.id}`)
    assert.equal(await isOn(), false)
    await post(`/v10/projects/${name}/promote/${second.id}`)
    assert.deepEqual([await isOn(), await shown(), await shown(domain)], [false, 'second', 'second'])

    await post(`/v9/projects/${name}/rollback/${first.id}`)
    await choose(true)
    await post(`/v1/projects/${name}/pause`)
    await post(`/v1/projects/${name}/unpause`)
    assert.equal(await isOn(), false)
    await post(`/v10/projects/${name}/promote/${second.id}`)
    assert.equal(await isOn(), true)

    await choose(false)
    await post(`/v1/projects/${name}/pause`)
    await deploy('third', 'production')
    await post(`/v1/projects/${name}/unpause`)
    assert.deepEqual([await isOn(), await shown(), await shown(domain)], [true, 'third', 'third'])
  })

  test('a promotion moves every production alias at once', async () => {
    const { token, name, deploy, post, project, shown } = await begin()
    const first = await deploy('first', 'production', { alias: [`${name}-a`, `${name}-b`] })
    const second = await deploy('second', 'production')
    const preview = await deploy('preview')
    assert.equal(await shown(`${name}-a.localhost`), 'first')
    const promoted = await post(`/v10/projects/${name}/promote/${preview.id}`)
    assert.equal(promoted.status, 202)
    for (const host of [`${name}.localhost`, `${name}-a.localhost`, `${name}-b.localhost`])
      assert.equal(await shown(host), 'preview', host)
    const now = await project()
    assert.equal(now.targets.production.id, preview.id)
    assert.deepEqual(
      [now.lastAliasRequest.fromDeploymentId, now.lastAliasRequest.toDeploymentId, now.lastRollbackTarget],
      [second.id, preview.id, null],
    )
    assertGolden('project/alias-request', now.lastAliasRequest)
    const moved = async (query = '') =>
      (await server.call(`GET /v1/projects/${name}/promote/aliases${query}`, { token })).body
    const all = await moved()
    assert.deepEqual(
      all.aliases.map(({ alias, status }: { alias: string; status: string }) => [alias, status]).sort(),
      [`${name}-a`, `${name}-b`, name].map((label) => [`${label}.localhost`, 'completed']).sort(),
    )
    assert.deepEqual((await moved('?failedOnly=true')).aliases, [])
    const page = await moved('?limit=1')
    assert.equal(page.aliases.length, 1)
    assert.equal((await moved(`?until=${page.pagination.next}`)).aliases.length, 2)

    await deploy('third', 'production')
    assert.equal(await shown(), 'third')
    assert.equal((await project()).lastAliasRequest.toDeploymentId, preview.id)
    assert.equal((await post(`/v10/projects/${name}/promote/${first.id}`)).status, 202)
    assert.equal(await shown(), 'first')
  })

  for (const [verb, bringBack] of [
    ['a promotion', (name: string, first: string) => `/v10/projects/${name}/promote/${first}`],
    ['a rollback', (name: string, first: string) => `/v9/projects/${name}/rollback/${first}`],
    ['the end of a pause', (name: string) => `/v1/projects/${name}/unpause`],
  ] as const)
    test(`an alias that went with its domain is not brought back by ${verb}`, async () => {
      const { token, id, name, deploy, post, shown } = await begin()
      const domain = `${name}.example`
      const given = { name: domain, ownerId: id, creatorId: id, txtVerifiedAt: 1 }
      await server.parts.stores.domains.add(sampleDomain(given))
      const alias = [`${name}-a`, `www.${domain}`]
      const isPaused = verb === 'the end of a pause'
      if (isPaused) {
        await deploy('before', 'production')
        await post(`/v1/projects/${name}/pause`)
      }
      const first = await deploy('first', 'production', { alias })
      if (!isPaused) {
        assert.equal(await shown(`www.${domain}`), 'first')
        await deploy('second', 'production')
      }
      assert.equal((await server.call(`DELETE /v2/domains/${domain}`, { token })).status, 200)
      const { status } = await post(bringBack(name, first.id))
      assert.ok(status < 300, String(status))
      assert.equal(await shown(`${name}-a.localhost`), 'first')
      assert.equal((await server.call(`GET /v2/platform/aliases/www.${domain}`, { token })).status, 404)
      assert.notEqual(await shown(`www.${domain}`), 'first')
    })

  test('the first promotion gives a project its production', async () => {
    const { token, name, deploy, post, project, shown } = await begin()
    const preview = await deploy('preview')
    const none = await server.call(`GET /v1/projects/${name}/promote/aliases`, { token })
    assert.deepEqual(none.body, { aliases: [], pagination: { count: 0, next: null, prev: null } })
    assert.equal(await shown(), 404)
    await post(`/v10/projects/${name}/promote/${preview.id}`)
    assert.equal(await shown(), 'preview')
    const { live, lastAliasRequest } = await project()
    assert.deepEqual([live, lastAliasRequest.fromDeploymentId], [true, null])
  })

  test('after a rollback nothing newer takes production until a promotion', async () => {
    const { name, deploy, post, project, shown } = await begin()
    const first = await deploy('first', 'production')
    await deploy('second', 'production')
    const back = await post(`/v9/projects/${name}/rollback/${first.id}`)
    assert.equal(back.status, 201)
    assert.equal(await shown(), 'first')
    const rolled = await project()
    assert.deepEqual(
      [
        rolled.lastRollbackTarget.toDeploymentId,
        rolled.lastAliasRequest.type,
        rolled.autoAssignCustomDomains,
      ],
      [first.id, 'rollback', false],
    )
    const third = await deploy('third', 'production')
    assert.equal(await shown(), 'first')
    assert.equal((await project()).targets.production.id, first.id)
    assert.equal(await shown(third.url), 'third')
    await post(`/v10/projects/${name}/promote/${third.id}`)
    assert.equal(await shown(), 'third')
    const promoted = await project()
    assert.deepEqual([promoted.lastRollbackTarget, promoted.autoAssignCustomDomains], [null, true])
    await deploy('fourth', 'production')
    assert.equal(await shown(), 'fourth')
  })

  test('a deployment says when production showed it, and one that was held back that it never did', async () => {
    const { token, name, deploy, post, project } = await begin()
    const liveAt = async (id: string) => {
      const got = (await server.call(`GET /v8/platform/deployments/${id}`, { token })).body.liveAt
      const { deployments } = (await server.call(`GET /v3/platform/deployments?app=${name}`, { token })).body
      const listed = deployments.find(({ uid }: { uid: string }) => uid === id)
      assert.equal(listed.liveAt, got)
      return got
    }
    const preview = await deploy('preview')
    const first = await deploy('first', 'production')
    const second = await deploy('second', 'production')
    assert.equal(await liveAt(preview.id), undefined)
    assert.equal(first.liveAt, await liveAt(first.id))
    assert.ok((await liveAt(first.id)) < (await liveAt(second.id)))

    await post(`/v9/projects/${name}/rollback/${first.id}`)
    assert.equal(await liveAt(first.id), first.liveAt, 'a rollback leaves the history as it is')
    const held = await deploy('held', 'production')
    assert.equal(await liveAt(held.id), undefined)
    assert.equal((await project()).targets.production.liveAt, first.liveAt)

    await post(`/v10/projects/${name}/promote/${preview.id}`)
    assert.ok((await liveAt(preview.id)) > (await liveAt(second.id)))
    await post(`/v1/projects/${name}/pause`)
    const paused = await deploy('paused', 'production')
    assert.equal(await liveAt(paused.id), undefined)
    await post(`/v1/projects/${name}/unpause`)
    assert.ok((await liveAt(paused.id)) > (await liveAt(preview.id)))
    assert.equal(await liveAt(held.id), undefined)
  })

  test('the name of a branch shows what came of it last, whatever production shows', async () => {
    const { name, token, deploy, post, shown } = await begin()
    const pushed = { meta: { gitPushId: 'psh_1', gitBranch: 'main' } }
    const first = await deploy('first', 'production', pushed)
    const branch = first.aliasFinal[1]
    assert.match(branch, /-git-main-/)
    await post(`/v1/projects/${name}/pause`)
    await deploy('second', 'production', pushed)
    assert.equal(await shown(branch), 'second')
    await post(`/v1/projects/${name}/unpause`)
    assert.deepEqual([await shown(branch), await shown()], ['second', 'second'])

    await post(`/v9/projects/${name}/rollback/${first.id}`)
    assert.deepEqual([await shown(branch), await shown()], ['second', 'first'])
    const third = await deploy('third', 'production', pushed)
    assert.deepEqual([await shown(branch), await shown()], ['third', 'first'])

    await post(`/v10/projects/${name}/promote/${third.id}`)
    const stages = [{ targetPercentage: 0, duration: 10 }, { targetPercentage: 100 }]
    const config = `PATCH /v1/projects/${name}/rolling-release/config`
    assert.equal((await server.call(config, { token, body: { stages } })).status, 200)
    await deploy('fourth', 'production', pushed)
    assert.deepEqual([await shown(branch), await shown()], ['fourth', 'third'])
  })

  test('the name of a branch or an environment goes back to the deployment before a deleted one', async () => {
    const { name, token, deploy, shown } = await begin()
    const remove = async (id: string) =>
      assert.equal((await server.call(`DELETE /v8/platform/deployments/${id}`, { token })).status, 200)
    await deploy('live', 'production')
    const path = `POST /v9/projects/${name}/custom-environments`
    assert.equal((await server.call(path, { token, body: { slug: 'qa' } })).status, 201)
    for (const more of [
      { meta: { gitPushId: 'psh_1', gitBranch: 'next' } },
      { customEnvironmentSlugOrId: 'qa' },
    ]) {
      const first = await deploy('first', undefined, more)
      const second = await deploy('second', undefined, more)
      const host = second.aliasFinal[1]
      assert.match(host, /-(?:git-next|env-qa)-/)
      await deploy('another', undefined, { meta: { gitPushId: 'psh_2', gitBranch: 'other' } })
      assert.equal(await shown(host), 'second')
      await remove(second.id)
      assert.equal(await shown(host), 'first')
      await remove(first.id)
      assert.equal(await shown(host), 404)
    }
  })

  test('a preview of the same branch that is ready first keeps no build from production', async () => {
    const { deploy, shown } = await begin()
    const pushed = { meta: { gitPushId: 'psh_1', gitBranch: 'main' } }
    await deploy('before', 'production', pushed)
    const files = [{ file: 'package.json', data: JSON.stringify({ scripts: { build: 'make' } }) }]
    await server.parts.blobs.putBytes(Buffer.from('built'))
    builder.next(async () => outputOf({ 'index.html': 'built' }))
    const building = await deploy('', 'production', { files, ...pushed })
    const preview = await deploy('preview', undefined, pushed)
    await server.runJobs()
    assert.equal(await shown(building.url), 'built')
    assert.deepEqual([await shown(), await shown(preview.aliasFinal[1])], ['built', 'preview'])
  })

  test('what is still being built when a project is rolled back does not take production either', async () => {
    const { name, deploy, post, shown } = await begin()
    const first = await deploy('first', 'production')
    const files = [{ file: 'package.json', data: JSON.stringify({ scripts: { build: 'make' } }) }]
    await server.parts.blobs.putBytes(Buffer.from('built'))
    builder.next(async () => outputOf({ 'index.html': 'built' }))
    const building = await deploy('', 'production', { files })
    assert.notEqual(building.readyState, 'READY')
    await post(`/v9/projects/${name}/rollback/${first.id}`)
    await server.runJobs()
    assert.equal(await shown(building.url), 'built')
    assert.equal(await shown(), 'first')
  })

  test('only a deployment of the project that is ready can be promoted', async () => {
    const { token, name, deploy, post } = await begin()
    const other = await begin()
    await deploy('mine', 'production')
    const theirs = await other.deploy('theirs', 'production')
    const files = [{ file: 'package.json', data: JSON.stringify({ scripts: { build: 'make' } }) }]
    builder.next(() => Promise.reject(new Error('it fails')))
    const building = await deploy('', undefined, { files })
    for (const verb of ['v10/projects/:/promote', 'v9/projects/:/rollback']) {
      const on = (project: string, id: string) => post(`/${verb.replace(':', project)}/${id}`)
      const code = async (answer: Promise<{ status: number; body: { error: { code: string } } }>) => {
        const { status, body } = await answer
        return [status, body.error.code]
      }
      assert.deepEqual(await code(on(name, theirs.id)), [404, 'deployment_not_found'])
      assert.deepEqual(await code(on(name, 'dpl_none')), [404, 'deployment_not_found'])
      assert.deepEqual(await code(on('none', theirs.id)), [404, 'not_found'])
      assert.deepEqual(await code(on(name, building.id)), [400, 'deployment_not_ready'])
    }
    await server.runJobs()
    assert.equal((await post(`/v10/projects/${name}/promote/${building.id}`)).status, 410)
    assert.equal((await server.call('GET /v1/projects/none/promote/aliases', { token })).status, 404)
  })

  test('visitors see one or the other while production moves to and fro', async () => {
    const { name, deploy, post, shown } = await begin()
    const deployments = [await deploy('one', 'production'), await deploy('two', 'production')]
    const seen = new Set<unknown>()
    const moves = (async () => {
      for (let i = 0; i < 10; i++)
        assert.equal((await post(`/v10/projects/${name}/promote/${deployments[i % 2].id}`)).status, 202)
    })()
    const visits = (async () => {
      for (let i = 0; i < 60; i++) seen.add(await shown())
    })()
    await Promise.all([moves, visits])
    assert.deepEqual(
      [...seen].filter((body) => body !== 'one' && body !== 'two'),
      [],
    )
    assert.equal(await shown(), 'two')
  })

  test('a project opens its files to others, and closes them again', async () => {
    const { token, name, deploy } = await begin()
    const { id } = await deploy('source')
    const stranger = await server.signUp()
    const read = async (path = '') =>
      (await server.call(`GET /v5/platform/deployments/${id}${path}`, { token: stranger.token })).status
    const set = (publicSource: boolean | null) =>
      server.call(`PATCH /v9/projects/${name}`, { token, body: { publicSource } })
    assert.equal(await read('/files'), 403)
    await set(true)
    assert.equal(await read('/files'), 200)
    assert.equal(await read('/builds'), 403)
    await set(null)
    assert.equal(await read('/files'), 403)
  })
}
