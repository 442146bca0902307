import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { CHANGE_KINDS } from '#contract/api/change.ts'
import { CHANGES_TOPIC } from '#core/change/change.ts'
import { readConfig } from '#src/config/config.ts'
import { buildApi } from '#src/process/api/build-api.ts'
import { createUseCases } from '#src/process/compose/use-cases.ts'
import { apiSuite } from '#test/support/api-suite.ts'
import { createBrowser } from '#test/support/browser/browser.ts'
import { type Follower, follow } from '#test/support/follow.ts'
import { install, registerApplication } from '#test/support/integrations.ts'
import { outputOf, ScriptedBuilder } from '#test/support/scripted-builder.ts'
import type { Account, TestServer } from '#test/support/server.ts'

const builder = new ScriptedBuilder()

const listen = (server: TestServer, token: string, query?: string): Promise<Follower> =>
  follow(server.url, { authorization: `Bearer ${token}` }, query)

const addSecret = async (server: TestServer, { token }: Pick<Account, 'token'>, query = '') => {
  const name = `s${Math.random().toString(36).slice(2)}`
  const answer = await server.call(`POST /v2/platform/secrets${query}`, { token, body: { name, value: 'x' } })
  assert.equal(answer.status, 200)
  return answer.body.uid as string
}

apiSuite(
  'changes',
  (server) => {
    test('a stream begins with hello, and then tells what changed and nothing of its content', async () => {
      const me = await server.signUp()
      const follower = await listen(server, me.token)
      assert.match(follower.headers.get('content-type') ?? '', /^text\/event-stream/)
      assert.match(follower.headers.get('cache-control') ?? '', /no-store/)
      assert.deepEqual(follower.hello, { ownerId: me.id, kinds: [...CHANGE_KINDS] })
      const id = await addSecret(server, me)
      assert.deepEqual(await follower.next('secret'), { kind: 'secret', id })
      await follower.next('audit')
      follower.leave()
    })

    test('two accounts never hear each other, nor does a team its neighbours', async () => {
      const [one, other] = [await server.signUp(), await server.signUp()]
      const team = await server.newTeam(one)
      const followers = [
        await listen(server, one.token),
        await listen(server, one.token, `?teamId=${team.id}`),
        await listen(server, other.token),
      ] as const
      const ids = [
        await addSecret(server, one),
        await addSecret(server, one, `?teamId=${team.id}`),
        await addSecret(server, other),
      ]
      for (const [i, follower] of followers.entries()) {
        await follower.next('secret', ids[i])
        // What comes after this was told after all of that.
        await server.call('POST /v3/user/tokens', { token: other.token, body: { name: 'fence' } })
        await server.call('POST /v3/user/tokens', { token: one.token, body: { name: 'fence' } })
        await follower.next('token')
        const secrets = follower.heard.filter(({ kind }) => kind === 'secret')
        assert.deepEqual(secrets, [{ kind: 'secret', id: ids[i] }])
        follower.leave()
      }
    })

    test('a deployment is heard of in every state that lasts', async () => {
      const me = await server.signUp()
      const follower = await listen(server, me.token)
      const states: string[] = []
      const stateOf = async (id: string) =>
        (await server.call(`GET /v8/platform/deployments/${id}`, { token: me.token })).body.readyState
      builder.next(async ({ deployment }, events) => {
        await events.began(deployment.buildRuns[0]?.id ?? '')
        await follower.next('deployment', deployment.id)
        states.push(await stateOf(deployment.id))
        return outputOf({ 'index.html': 'built' })
      })
      const { body: made } = await server.call('POST /v8/platform/deployments', {
        token: me.token,
        body: {
          name: 'watched',
          version: 2,
          files: [{ file: 'package.json', data: '{"scripts":{"build":"x"}}' }],
          builds: [{ src: 'package.json', use: '@vercel/static-build' }],
        },
      })
      assert.deepEqual(await follower.next('deployment', made.id), {
        kind: 'deployment',
        id: made.id,
        projectId: made.projectId,
      })
      states.push(await stateOf(made.id))
      await server.runJobs()
      await follower.next('deployment', made.id)
      states.push(await stateOf(made.id))
      assert.deepEqual(states, ['INITIALIZING', 'BUILDING', 'READY'])
      await follower.next('alias')
      await follower.next('project', made.projectId)
      follower.leave()
    })

    test('what happens many times at once is told once', async () => {
      const me = await server.signUp()
      const follower = await listen(server, me.token)
      await server.parts.transact(async ({ audit }) => {
        for (let i = 0; i < 50; i++)
          await audit.add({
            ...{ id: `aud_${me.id}${i}`, ownerId: me.id, at: i, userId: me.id, action: 'x', target: {} },
            ...{ via: { kind: 'login', id: 'x', name: 'x' }, ip: '', userAgent: '', requestId: '' },
          })
      })
      await addSecret(server, me)
      await follower.next('secret')
      const told = follower.heard.filter(({ kind }) => kind === 'audit')
      assert.ok(told.length <= 2, JSON.stringify(told))
      assert.deepEqual(told[0], { kind: 'audit' })
      follower.leave()
    })

    test('what a transaction did not keep is not told', async () => {
      const me = await server.signUp()
      const follower = await listen(server, me.token)
      const failed = server.parts.transact(async ({ users }) => {
        await users.update(me.id, { plan: 'pro' })
        throw new Error('no')
      })
      await assert.rejects(failed)
      await addSecret(server, me)
      await follower.next('secret')
      assert.ok(follower.heard.every(({ kind }) => kind !== 'user'))
      follower.leave()
    })

    test('a stream ends when its session or its token is revoked', async () => {
      const me = await server.signUp()
      const browser = createBrowser(server)
      await browser.signIn(me.email)
      const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const bySession = await follow(server.url, { cookie, 'sec-fetch-site': 'same-origin' })
      const { body: sessions } = await server.call('GET /v1/user/sessions', { token: me.token })
      await server.call(`DELETE /v1/user/sessions/${sessions.sessions[0].id}`, { token: me.token })
      await bySession.ended
      const byToken = await listen(server, me.token)
      await server.call('DELETE /v3/user/tokens/current', { token: me.token })
      await byToken.ended
      assert.ok(byToken.heard.every(({ kind }) => kind !== 'token'))
    })

    test('who is removed from a team hears no more of it', async () => {
      const [owner, member] = [await server.signUp(), await server.signUp()]
      const team = await server.newTeam(owner, member)
      const query = `?teamId=${team.id}`
      const [theirs, mine] = [
        await listen(server, member.token, query),
        await listen(server, owner.token, query),
      ]
      assert.ok(!theirs.hello.kinds.includes('audit'), 'who changed what is for OWNERs')
      const id = await addSecret(server, owner, query)
      await theirs.next('secret', id)
      await server.call(`DELETE /v1/teams/${team.id}/members/${member.id}`, { token: owner.token })
      await theirs.ended
      const later = await addSecret(server, owner, query)
      await mine.next('secret', later)
      assert.ok(theirs.heard.every((change) => change.id !== later))
      assert.ok(theirs.heard.every(({ kind }) => kind !== 'audit'))
      mine.leave()
    })

    test('an application hears what its scopes let it read, in its projects', async () => {
      const me = await server.signUp()
      const ids: string[] = []
      for (const name of ['given', 'kept'])
        ids.push((await server.call('POST /v10/projects', { token: me.token, body: { name } })).body.id)
      const application = await registerApplication(server, me.token, { scopes: { project: 'read' } })
      const installed = await install(server, me.token, application)
      await server.call(`PATCH /v1/integrations/configuration/${installed.configurationId}`, {
        token: me.token,
        body: { projectSelection: 'selected', projects: [ids[0]] },
      })
      const follower = await listen(server, installed.token)
      assert.deepEqual(follower.hello.kinds, ['project', 'project-domain', 'cron'])
      await addSecret(server, me)
      for (const id of [...ids].reverse())
        await server.call(`PATCH /v9/projects/${id}`, { token: me.token, body: { framework: null } })
      await follower.next('project', ids[0])
      assert.deepEqual(
        follower.heard.filter(({ id }) => id !== ids[0]),
        [],
      )
      await server.call(`DELETE /v1/integrations/configuration/${installed.configurationId}`, {
        token: me.token,
      })
      await server.runJobs()
      await follower.ended
    })

    test('more streams than anybody needs are refused, and those that are left are given back', async () => {
      const me = await server.signUp()
      const open: Follower[] = []
      // Each serving process counts its own.
      for (let i = 0; i < 32 * server.allParts.length; i++) open.push(await listen(server, me.token))
      const refused = await server.call('GET /v1/changes', { token: me.token })
      assert.deepEqual([refused.status, refused.body.error.code], [429, 'too_many_requests'])
      const other = await listen(server, (await server.signUp()).token)
      other.leave()
      for (const follower of open) follower.leave()
      let again: Follower | undefined
      while (again === undefined) again = await listen(server, me.token).catch(() => undefined)
      again.leave()
    })

    test('HTTP/2 carries it as well; what is no message of ours is passed over; who stops ends all streams', async () => {
      const me = await server.signUp()
      const config = readConfig({ ALOFT_BASE_URL: 'http://aloft.test' })
      const use = createUseCases(config, server.parts)
      const front = createServer(await buildApi(config, server.parts, use, undefined))
      await new Promise<void>((done) => void front.listen(0, '127.0.0.1', done))
      const session = connect(`http://127.0.0.1:${(front.address() as AddressInfo).port}`)
      const stream = session.request({ ':path': '/v1/changes', authorization: `Bearer ${me.token}` })
      let text = ''
      const heard = Promise.withResolvers<void>()
      stream.setEncoding('utf8').on('data', (part: string) => {
        text += part
        if (/event: hello\n/.test(text) && !/event: change/.test(text)) {
          for (const said of ['nonsense', '{}', '[null,1,{"kind":"x","ownerId":"y"}]'])
            server.parts.bus.publish(CHANGES_TOPIC, said)
          void addSecret(server, me)
        }
        if (/event: change\ndata: {"kind":"secret"/.test(text)) heard.resolve()
      })
      await heard.promise
      assert.match(text, /^retry: 2000\n\n/)
      const ended = once(stream, 'end')
      use.changes.close()
      await ended
      assert.equal(use.changes.count(), 0)
      await new Promise<void>((done) => session.close(done))
      await new Promise<void>((done) => void front.close(() => done()))
    })
  },
  { workers: { builder } },
)
