import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { DAY, HOUR, MINUTE, SECOND } from '#contract/time.ts'
import { verifyCodeOf } from '#core/drain/drain.ts'
import type { DrainSender } from '#core/drain/drain-sender.ts'
import { firstSerialOf } from '#core/log/serial.ts'
import { hashBearer } from '#core/token/token.ts'
import { readConfig } from '#src/config/config.ts'
import { createDrainSender } from '#src/process/compose/drains.ts'
import { apiSuite } from '#test/support/api-suite.ts'
import { createTestClock } from '#test/support/clock.ts'
import { assertGolden } from '#test/support/golden.ts'
import { type Received, type Receiver, startReceiver } from '#test/support/http/receiver.ts'
import { sampleApplication, sampleInstallation, sampleToken } from '#test/support/samples.ts'
import type { Account } from '#test/support/server.ts'

/** Tests receive on this machine. */
const env = { ALOFT_PRIVATE_TARGETS: '127.0.0.1' }
const config = readConfig({ ALOFT_BASE_URL: 'http://aloft.test', ...env })

apiSuite(
  'log drains',
  (server) => {
    let receiver: Receiver
    let sender: DrainSender
    let paths = 0
    before(async () => {
      receiver = await startReceiver()
      sender = createDrainSender(config, server.parts, 'one')
    })
    after(async () => {
      await sender.drain(0)
      await receiver.close()
    })

    const agree = ({ id }: Pick<Account, 'id'>) =>
      receiver.answer(200, { 'x-platform-verify': verifyCodeOf(id) })
    /** A drain to a path of its own, and what came there after it was verified. */
    async function drainOf(account: Account, body: object = {}) {
      agree(account)
      const path = `/drain-${++paths}`
      const answer = await server.call('POST /v1/log-drains', {
        token: account.token,
        body: { name: 'logs', url: `${receiver.url}${path}`, deliveryFormat: 'json', ...body },
      })
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
      const sent = (): Received[] => receiver.received.filter((request) => request.path === path).slice(1)
      return { path, id: answer.body.id as string, body: answer.body, sent }
    }
    const itemsOf = (received: readonly Received[]) => received.flatMap(({ body }) => JSON.parse(body))
    const deploy = async ({ token }: Account, name: string, more: object = {}) =>
      (
        await server.call('POST /v8/platform/deployments', {
          token,
          body: { name, version: 2, files: [{ file: 'index.html', data: 'hello' }], ...more },
        })
      ).body
    /** Sends everything that was logged so far. */
    async function send(): Promise<void> {
      await server.flushLogs()
      await sender.pass()
    }
    const print = (deploymentId: string, text: string, requestId?: string) =>
      server.parts.logWriter.record({
        deploymentId,
        type: 'stdout',
        at: server.clock.now(),
        text,
        info: { type: 'lambda', name: 'i1', entrypoint: 'api.js' },
        region: 'iad1',
        ...(requestId === undefined ? {} : { requestId }),
      })

    test('a drain is made once its address agrees, listed, read and removed', async () => {
      const account = await server.signUp()
      const { token, id: ownerId } = account
      const project = (await server.call('POST /v10/projects', { token, body: { name: 'one' } })).body
      receiver.answer(200)
      const body = { name: 'mine', url: `${receiver.url}/agrees`, deliveryFormat: 'ndjson' }
      const refused = await server.call('POST /v1/log-drains', { token, body })
      assert.deepEqual([refused.status, refused.body.error.code], [400, 'invalid_url'])
      const { code } = (await server.call('GET /v1/verify-code', { token })).body
      assert.ok(refused.body.error.message.includes(code))
      receiver.answer(201, { 'x-platform-verify': code })
      assert.equal((await server.call('POST /v1/log-drains', { token, body })).status, 400)
      receiver.answer(200, { 'x-vercel-verify': code })
      const byOtherName = await server.call('POST /v1/log-drains', { token, body })
      assert.equal(byOtherName.status, 200, JSON.stringify(byOtherName.body))
      await server.call(`DELETE /v1/log-drains/${byOtherName.body.id}`, { token })
      receiver.answer(200, { 'x-platform-verify': code })
      const created = await server.call('POST /v1/log-drains', {
        token,
        body: {
          ...body,
          projectIds: [project.id],
          sources: ['lambda', 'static', 'lambda'],
          environments: ['production'],
          headers: { Authorization: 'Bearer hidden' },
          secret: 'hidden',
          samplingRate: 0.5,
        },
      })
      assert.equal(created.status, 200)
      assert.equal(receiver.received.at(-1)?.headers.authorization, 'Bearer hidden')
      assertGolden('log-drain/created', { ...created.body, url: '<url>' })
      assert.ok(!JSON.stringify(created.body).includes('hidden'))
      assert.deepEqual((await server.call('GET /v1/log-drains', { token })).body, [created.body])
      const path = `/v1/log-drains/${created.body.id}`
      assert.deepEqual((await server.call(`GET ${path}`, { token })).body, created.body)
      const stored = JSON.stringify(await server.parts.stores.drains.find(ownerId, created.body.id))
      assert.ok(!stored.includes('hidden'))
      assert.equal((await server.call(`DELETE ${path}`, { token })).status, 204)
      assert.equal((await server.call(`DELETE ${path}`, { token })).status, 404)
      assert.equal((await server.call(`GET ${path}`, { token })).status, 404)
    })

    test('visits, output and builds arrive as JSON, signed, each once', async () => {
      const account = await server.signUp()
      const deployment = await deploy(account, 'visited', { target: 'production' })
      const { sent } = await drainOf(account, { secret: 'a secret', headers: { 'X-Key': 'k' } })
      await server.visit(deployment.url, '/', { 'user-agent': 'tester' })
      await server.visit(deployment.url, '/missing?a=1')
      await server.flushLogs()
      print(deployment.id, 'said "hello"\nand more', 'req_1')
      await server.parts.logWriter.save({
        deploymentId: deployment.id,
        type: 'command',
        at: server.clock.now(),
        text: 'npm run build',
        info: { type: 'build', name: 'bld_1', entrypoint: 'package.json' },
        region: 'iad1',
      })
      await send()
      await send()
      const [request, ...more] = sent()
      assert.equal(more.length, 0)
      assert.ok(request)
      assert.equal(request.headers['content-type'], 'application/json')
      assert.equal(request.headers['x-key'], 'k')
      for (const name of ['x-platform-signature', 'x-vercel-signature'])
        assert.equal(
          request.headers[name],
          createHmac('sha1', 'a secret').update(request.body).digest('hex'),
          name,
        )
      const items = JSON.parse(request.body)
      assert.deepEqual(
        items.map((item: { source: string }) => item.source),
        ['static', 'edge', 'lambda', 'build'],
      )
      const [visit, missing, line, build] = items
      assertGolden('log-drain/visit', {
        ...visit,
        id: '<id>',
        requestId: '<request>',
        host: '<host>',
        message: '<message>',
        proxy: { ...visit.proxy, host: '<host>' },
      })
      assert.deepEqual(
        [visit.deploymentId, visit.projectId, visit.proxy.host],
        [deployment.id, deployment.projectId, deployment.url],
      )
      assert.deepEqual([missing.path, missing.statusCode, missing.level], ['/missing?a=1', 404, 'warning'])
      assertGolden('log-drain/line', { ...line, id: '<id>', host: '<host>' })
      assert.deepEqual([build.buildId, build.message], ['bld_1', 'npm run build'])
    })

    test('as lines of JSON, and of syslog', async () => {
      const account = await server.signUp()
      const deployment = await deploy(account, 'lines')
      const ndjson = await drainOf(account, { deliveryFormat: 'ndjson' })
      const syslog = await drainOf(account, { deliveryFormat: 'syslog' })
      print(deployment.id, 'one\ntwo', 'req_2')
      await server.visit(deployment.url, '/a"]b')
      await send()
      const lines = ndjson.sent()[0]?.body.split('\n') ?? []
      assert.deepEqual([lines.length, lines.at(-1)], [3, ''])
      assert.equal(JSON.parse(lines[0] ?? '').message, 'one\ntwo')
      assert.equal(ndjson.sent()[0]?.headers['x-platform-signature'], undefined)
      const [first = '', second = '', ...rest] = syslog.sent()[0]?.body.split('\n') ?? []
      assert.deepEqual(rest, [''])
      assert.match(
        first,
        /^<134>1 \d{4}-\d\d-\d\dT[\d:.]+Z [\w.-]+ lambda req_2 stdout \[aloft@32473 id="\d+" .*\] one#012two$/,
      )
      assert.match(second, /^<132>1 .* path="\/a(\\"|%22)(\\\]|%5D)b" statusCode="404"/)
    })

    test('filters leave out what is not wanted; other accounts are never among it', async () => {
      const [account, stranger] = [await server.signUp(), await server.signUp()]
      const [live, draft] = [
        await deploy(account, 'live', { target: 'production' }),
        await deploy(account, 'draft'),
      ]
      const foreign = await deploy(stranger, 'foreign')
      const all = await drainOf(account)
      const ofProject = await drainOf(account, { projectIds: [draft.projectId] })
      const production = await drainOf(account, { environments: ['production'] })
      const programs = await drainOf(account, { sources: ['lambda'] })
      for (const { id } of [live, draft, foreign]) print(id, `line of ${id}`)
      await server.visit(live.url, '/')
      await send()
      const told = ({ sent }: { sent: () => Received[] }) =>
        itemsOf(sent()).map(({ deploymentId, source }) => `${source} ${deploymentId}`)
      // Those of one deployment are in order; when those of another come between depends on the moment.
      const ofLive = [`lambda ${live.id}`, `static ${live.id}`]
      assert.deepEqual(told(all).toSorted(), [...ofLive, `lambda ${draft.id}`].toSorted())
      assert.deepEqual(
        told(all).filter((line) => line.endsWith(live.id)),
        ofLive,
      )
      assert.deepEqual(told(ofProject), [`lambda ${draft.id}`])
      assert.deepEqual(told(production), ofLive)
      assert.deepEqual(told(programs).toSorted(), [`lambda ${live.id}`, `lambda ${draft.id}`].toSorted())
      await server.call(`DELETE /v1/log-drains/${all.id}`, { token: account.token })
      await server.call('DELETE /v9/projects/draft', { token: account.token })
      server.clock.advance(2 * MINUTE)
      print(live.id, 'again')
      print(draft.id, 'again')
      await send()
      assert.equal(all.sent().length, 1)
      assert.equal(ofProject.sent().length, 1)
      assert.equal(production.sent().length, 2)
    })

    test('a batch holds at most 500 entries, and a sample keeps the lines of a request together', async () => {
      const account = await server.signUp()
      const deployment = await deploy(account, 'many')
      const { sent } = await drainOf(account)
      const sampled = await drainOf(account, { samplingRate: 0.25 })
      for (let i = 0; i < 1100; i++) print(deployment.id, String(i), `req_${i >> 1}`)
      await send()
      assert.deepEqual(
        sent().map(({ body }) => JSON.parse(body).length),
        [500, 500, 100],
      )
      assert.deepEqual(
        itemsOf(sent()).map(({ message }) => Number(message)),
        Array.from({ length: 1100 }, (_, i) => i),
      )
      const ids = itemsOf(sampled.sent()).map(({ requestId }) => requestId)
      assert.ok(ids.length > 150 && ids.length < 400, String(ids.length))
      assert.equal(new Set(ids).size * 2, ids.length)
    })

    test('who is slow makes nobody else wait', async () => {
      const account = await server.signUp()
      const deployment = await deploy(account, 'slow')
      const { sent } = await drainOf(account)
      const release = receiver.hold()
      print(deployment.id, 'kept waiting')
      await server.flushLogs()
      const passing = sender.pass()
      while (sent().length === 0) await new Promise(setImmediate)
      assert.equal((await server.visit(deployment.url, '/')).status, 200)
      await server.flushLogs()
      release()
      await passing
      await send()
      assert.equal(itemsOf(sent()).length, 2)
    })

    test('an account whose receivers keep it waiting leaves room for others', async () => {
      const slow = await server.signUp()
      const slowDeployment = await deploy(slow, 'all-slow')
      const drains = []
      for (let made = 0; made < 6; made++) drains.push(await drainOf(slow))
      const quick = await server.signUp()
      const quickDeployment = await deploy(quick, 'quick')
      const { sent } = await drainOf(quick)
      for (const { id } of [slowDeployment, quickDeployment]) print(id, 'one')
      await server.flushLogs()
      const release = receiver.hold()
      const passing = sender.pass()
      while (sent().length === 0) {
        void sender.pass({ refresh: false })
        await sleep(20)
      }
      assert.equal(drains.flatMap((drain) => drain.sent()).length, 4)
      release()
      await passing
      await sender.pass()
      assert.deepEqual(
        drains.map((drain) => itemsOf(drain.sent()).length),
        [1, 1, 1, 1, 1, 1],
      )
    })

    test('a batch is tried three times, then left out, which the next one tells', async () => {
      const account = await server.signUp()
      const deployment = await deploy(account, 'failing')
      const { sent } = await drainOf(account)
      receiver.answer(500)
      print(deployment.id, 'lost')
      await send()
      print(deployment.id, 'not lost')
      for (const pause of [9 * SECOND, 2 * SECOND, MINUTE, 2 * MINUTE]) {
        server.clock.advance(pause)
        await send()
      }
      assert.deepEqual(
        sent().map(({ body }) => JSON.parse(body).map(({ message }: { message: string }) => message)),
        [['lost'], ['lost'], ['lost']],
      )
      receiver.answer(200)
      server.clock.advance(MINUTE)
      await send()
      const [notice, item] = itemsOf(sent().slice(3))
      assert.match(notice.message, /could not be delivered/)
      assert.equal(notice.level, 'warning')
      assert.equal(item.message, 'not lost')
      print(deployment.id, 'as before')
      await send()
      assert.deepEqual(
        itemsOf(sent().slice(4)).map(({ message }) => message),
        ['as before'],
      )
    })

    test('what was not delivered when a process died is sent by the next, and by one of them alone', async () => {
      const account = await server.signUp()
      const deployment = await deploy(account, 'restarted')
      const { sent } = await drainOf(account)
      print(deployment.id, 'first')
      await send()
      const other = createDrainSender(config, server.parts, 'two')
      print(deployment.id, 'second')
      await server.flushLogs()
      await other.pass()
      assert.equal(sent().length, 1)
      const ahead = createTestClock()
      ahead.jump(server.clock.now() - ahead.now() + MINUTE)
      const leaseTime = async () => server.clock.now()
      const elsewhere = createDrainSender(config, { ...server.parts, clock: ahead, leaseTime }, 'elsewhere')
      await elsewhere.pass()
      assert.equal(sent().length, 1, 'its own clock has no say')
      // The first one is never heard of again.
      server.clock.advance(MINUTE)
      await other.pass()
      assert.deepEqual(
        itemsOf(sent()).map(({ message }) => message),
        ['first', 'second'],
      )
      await send()
      assert.equal(sent().length, 2)
      await other.drain(0)
      print(deployment.id, 'third')
      await send()
      assert.equal(itemsOf(sent()).at(-1).message, 'third')
    })

    test('who is more than an hour behind goes on from there and is told', async () => {
      const account = await server.signUp()
      const deployment = await deploy(account, 'behind')
      const { sent } = await drainOf(account)
      print(deployment.id, 'too old')
      await server.flushLogs()
      server.clock.advance(2 * HOUR)
      print(deployment.id, 'recent')
      await send()
      const [notice, item, ...more] = itemsOf(sent())
      assert.match(notice.message, /could not be delivered/)
      assert.deepEqual([item.message, more.length], ['recent', 0])
    })

    test('a clock that was ahead for a while costs a drain nothing that is logged later', async () => {
      const account = await server.signUp()
      const deployment = await deploy(account, 'jumped')
      const { sent } = await drainOf(account)
      print(deployment.id, 'first')
      await send()
      server.clock.jump(5 * HOUR)
      await send()
      server.clock.jump(-5 * HOUR)
      print(deployment.id, 'second')
      await server.flushLogs()
      server.clock.jump(5 * HOUR)
      await send()
      server.clock.jump(-5 * HOUR)
      print(deployment.id, 'third')
      await send()
      const messages = itemsOf(sent()).map(({ message }) => message)
      assert.deepEqual([messages[0], messages.at(-1)], ['first', 'third'])
      assert.match(messages[1] ?? '', /could not be delivered/)
      assert.equal(messages.length, 3)
    })

    test('after a day without success a drain is given up, and the account told', async () => {
      const account = await server.signUp()
      const deployment = await deploy(account, 'dead')
      const { id, sent } = await drainOf(account)
      const status = async () =>
        (await server.call(`GET /v1/log-drains/${id}`, { token: account.token })).body.status
      receiver.answer(503)
      print(deployment.id, 'one')
      await send()
      server.clock.advance(DAY - HOUR)
      print(deployment.id, 'two')
      await send()
      assert.equal(await status(), 'enabled')
      server.clock.advance(HOUR)
      print(deployment.id, 'three')
      await send()
      assert.equal(await status(), 'errored')
      assert.equal((await server.mails(account.email)).at(-1)?.subject, 'A log drain was disabled')
      const before = sent().length
      receiver.answer(200)
      print(deployment.id, 'four')
      await send()
      assert.equal(sent().length, before)
    })

    test('two failures that are days apart, with nothing to send in between, do not end a drain', async () => {
      const account = await server.signUp()
      const deployment = await deploy(account, 'quiet')
      const { id, sent } = await drainOf(account)
      for (const text of ['lost', 'late']) {
        receiver.answer(503)
        print(deployment.id, text)
        for (const pause of [10 * SECOND, 2 * MINUTE]) {
          await send()
          server.clock.advance(pause)
        }
        if (text === 'lost') await send()
        server.clock.advance(text === 'lost' ? 3 * DAY : 0)
      }
      receiver.answer(200)
      await send()
      assert.equal(itemsOf(sent()).at(-1).message, 'late')
      const drain = (await server.call(`GET /v1/log-drains/${id}`, { token: account.token })).body
      assert.equal(drain.status, 'enabled')
    })

    test('a success in between begins the day anew', async () => {
      const account = await server.signUp()
      const deployment = await deploy(account, 'recovering')
      const { id } = await drainOf(account)
      for (const status of [503, 200, 503]) {
        receiver.answer(status)
        print(deployment.id, 'line')
        await send()
        server.clock.advance(DAY - HOUR)
      }
      receiver.answer(200)
      const drain = (await server.call(`GET /v1/log-drains/${id}`, { token: account.token })).body
      assert.equal(drain.status, 'enabled')
    })

    test('a blocked account is sent nothing, and nothing of that time later', async () => {
      const operator = await server.operator()
      const account = await server.signUp()
      const deployment = await deploy(account, 'blocked')
      const { sent } = await drainOf(account)
      const block = (softBlocked: boolean) =>
        server.call(`PATCH /v1/operator/accounts/${account.email}`, {
          token: operator.token,
          body: { softBlocked },
        })
      assert.equal((await block(true)).status, 200)
      print(deployment.id, 'unseen')
      await send()
      await block(false)
      print(deployment.id, 'seen')
      await send()
      assert.deepEqual(
        itemsOf(sent()).map(({ message }) => message),
        ['seen'],
      )
    })

    /** An integration of the account that may read and write log drains of one project. */
    async function installFor(account: Account, projectId: string) {
      const { applications, installations } = server.parts.stores
      const application = sampleApplication({ ownerId: account.id })
      const installation = sampleInstallation({
        applicationId: application.id,
        ownerId: account.id,
        userId: account.id,
        teamId: null,
        projectSelection: 'selected',
        projects: [projectId],
        scopes: { 'log-drain': 'read-write' },
      })
      await applications.add(application)
      await installations.add(installation)
      return { application, installation }
    }

    /** Where a drain of the account sends to, which is made one of an integration. */
    async function drainBy(installationId: string, account: Account): Promise<string> {
      const { drains } = server.parts.stores
      const { path, id } = await drainOf(account)
      const drain = await drains.find(account.id, id)
      assert.ok(drain)
      await drains.remove(account.id, id)
      await drains.add({ ...drain, installationId }, String(firstSerialOf(server.clock.now())))
      await send()
      return path
    }

    test('an integration has its own drains, of the projects it was given, while it is not disabled', async () => {
      const account = await server.signUp()
      const [given, other] = [await deploy(account, 'given'), await deploy(account, 'other')]
      const { installations, tokens } = server.parts.stores
      const { application, installation } = await installFor(account, given.projectId)
      const token = 'a-token-of-an-integration'
      await tokens.insert(
        sampleToken({ userId: account.id, kind: 'oauth2', installationId: installation.id, expiresAt: null }),
        hashBearer(token),
      )
      const personal = await drainOf(account)
      const path = `/drain-${++paths}`
      const create = (projectIds?: string[]) =>
        server.call('POST /v2/integrations/log-drains', {
          token,
          body: { name: 'its own', url: `${receiver.url}${path}`, deliveryFormat: 'json', projectIds },
        })
      assert.equal((await create([other.projectId])).status, 400)
      const created = await create()
      assert.equal(created.status, 200, JSON.stringify(created.body))
      assert.deepEqual(
        [created.body.createdFrom, created.body.clientId, created.body.configurationId],
        ['integration', application.clientId, installation.id],
      )
      assert.deepEqual((await server.call('GET /v2/integrations/log-drains', { token })).body, [created.body])
      assert.equal((await server.call('GET /v1/log-drains', { token })).status, 403)
      assert.equal((await server.call('GET /v1/log-drains', { token: account.token })).body.length, 2)
      assert.equal(
        (await server.call('GET /v2/integrations/log-drains', { token: account.token })).status,
        403,
      )
      const sent = () => receiver.received.filter((request) => request.path === path).slice(1)
      for (const { id } of [given, other]) print(id, `line of ${id}`)
      await send()
      assert.deepEqual(
        itemsOf(sent()).map(({ deploymentId }) => deploymentId),
        [given.id],
      )
      await installations.update(installation.id, { disabledAt: server.clock.now() })
      print(given.id, 'unseen')
      await send()
      assert.equal(sent().length, 1)
      await installations.update(installation.id, { disabledAt: null })
      const remove = (id: string) => server.call(`DELETE /v1/integrations/log-drains/${id}`, { token })
      assert.equal((await remove(personal.id)).status, 404)
      assert.equal((await remove(created.body.id)).status, 204)
    })

    test('a change of an installation holds for its drains at once', async () => {
      const account = await server.signUp()
      const [given, other] = [await deploy(account, 'first'), await deploy(account, 'second')]
      const { applications, installations } = server.parts.stores
      const { application, installation } = await installFor(account, given.projectId)
      const path = await drainBy(installation.id, account)
      const messages = () =>
        itemsOf(receiver.received.filter((request) => request.path === path)).map(({ message }) => message)
      /** Sends without asking which drains there are. */
      const sendOn = async (text: string, deploymentId: string = given.id) => {
        print(deploymentId, text)
        await server.flushLogs()
        await sender.pass({ refresh: false })
      }
      const change = (changed: object) => {
        server.clock.advance(10)
        return installations.update(installation.id, { ...changed, updatedAt: server.clock.now() })
      }
      await sendOn('before')
      await change({ disabledAt: server.clock.now() })
      await sendOn('while it is disabled')
      // Logged before it is handed over, though nobody looked yet.
      print(given.id, 'the last of that time')
      await server.flushLogs()
      await change({ disabledAt: null, userId: account.id })
      await sendOn('after it was handed over')
      await sendOn('of another project', other.id)
      await change({ projects: [given.projectId, other.projectId] })
      await sendOn('of a project that was added', other.id)
      await change({ scopes: { 'log-drain': 'read-write', project: 'read' } })
      await applications.update(application.id, { scopes: { project: 'read' } })
      await change({ scopes: { project: 'read' } })
      await sendOn('without the scope')
      await change({ scopes: { 'log-drain': 'read' } })
      await sendOn('with it')
      await installations.remove(installation.id)
      await sendOn('after its end')
      assert.deepEqual(messages(), [
        'before',
        'after it was handed over',
        'of a project that was added',
        'with it',
      ])
    })

    test('an application that is removed is sent nothing more', async () => {
      const account = await server.signUp()
      const { id: deploymentId } = await deploy(account, 'watched')
      const { applications, installations } = server.parts.stores
      const application = sampleApplication({ ownerId: account.id })
      const installation = sampleInstallation({
        ...{ applicationId: application.id, ownerId: account.id, userId: account.id, teamId: null },
        scopes: { 'log-drain': 'read-write' },
      })
      await applications.add(application)
      await installations.add(installation)
      const path = await drainBy(installation.id, account)
      const { status } = await server.call(`DELETE /v1/integrations/applications/${application.id}`, {
        token: account.token,
      })
      assert.equal(status, 204)
      print(deploymentId, 'after its end')
      await server.flushLogs()
      await sender.pass({ refresh: false })
      assert.equal(receiver.received.filter((request) => request.path === path).length, 1)
    })

    for (const [what, body, code] of [
      ['a private address', { url: 'http://10.0.0.1/' }, 'invalid_url'],
      ['nobody who answers', { url: 'http://127.0.0.1:1/' }, 'invalid_url'],
      ['an unknown format', { deliveryFormat: 'xml' }, 'bad_request'],
      ['an unknown source', { sources: ['moon'] }, 'bad_request'],
      ['a foreign project', { projectIds: ['prj_unknown'] }, 'bad_request'],
      ['a share of nothing', { samplingRate: 0 }, 'bad_request'],
      ['a header of the connection', { headers: { 'Content-Length': '1' } }, 'bad_request'],
      ['a header that begins another', { headers: { 'x-a': 'b\r\nx-c: d' } }, 'bad_request'],
      ['a header that signs', { headers: { 'X-Platform-Signature': 'x' } }, 'bad_request'],
    ] as const)
      test(`${what} is refused`, async () => {
        const account = await server.signUp()
        agree(account)
        const answer = await server.call('POST /v1/log-drains', {
          token: account.token,
          body: { name: 'no', url: receiver.url, deliveryFormat: 'json', ...body },
        })
        assert.deepEqual([answer.status, answer.body.error.code], [400, code])
      })

    test('an account has at most ten, if its plan includes them', async () => {
      const account = await server.signUp()
      for (let i = 0; i < 10; i++) await drainOf(account)
      const body = { name: 'eleventh', url: receiver.url, deliveryFormat: 'json' }
      const eleventh = await server.call('POST /v1/log-drains', { token: account.token, body })
      assert.equal(eleventh.status, 409)
      const operator = await server.operator()
      await server.call(`PATCH /v1/operator/accounts/${account.email}`, {
        token: operator.token,
        body: { plan: 'free' },
      })
      const answer = await server.call('POST /v1/log-drains', { token: account.token, body })
      assert.deepEqual([answer.status, answer.body.error.code], [403, 'feature_not_available'])
    })
  },
  { env },
)
