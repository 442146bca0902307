import assert from 'node:assert/strict'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { MINUTE } from '#contract/time.ts'
import { createBuildLog } from '#core/log/write/build-log.ts'
import { apiSuite } from '#test/support/api-suite.ts'
import type { Account } from '#test/support/server.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever the server answered
type Shown = any

const OLDER = [
  '/v1/platform/deployments/:id/events',
  '/platform/deployments/:id/events',
  '/platform/deployments/:id/logs',
]

interface Logged extends Account {
  readonly deployment: string
  readonly projectId: string
  readonly host: string
}

apiSuite('logs', (server) => {
  /** A deployment with a build of two lines and three visits. */
  async function deployLogged(by?: Account, query = ''): Promise<Logged> {
    const account = by ?? (await server.signUp())
    const { body } = await server.call(`POST /v8/platform/deployments${query}`, {
      token: account.token,
      body: { name: 'logged', version: 2, files: [{ file: 'index.html', data: account.id }] },
    })
    const { logWriter, clock } = server.parts
    const build = createBuildLog(
      { writer: logWriter, clock, region: 'iad1' },
      { deploymentId: body.id, buildId: 'bld_1', entrypoint: 'package.json' },
    )
    const lines = [build.command('npm run build'), build.stdout('100% done')]
    await server.flushLogs()
    await Promise.all(lines)
    // Each is in the log before the next one, whichever server has answered it.
    for (const path of ['/', '/?a=1', '/missing']) {
      await server.visit(body.url, path, { 'user-agent': 'visitor/1' })
      await server.flushLogs()
    }
    return { ...account, deployment: body.id, projectId: body.projectId, host: body.url }
  }

  const get = (token: string, path: string) => server.call(`GET ${path}`, { token })

  async function* follow(token: string, path: string, signal: AbortSignal): AsyncGenerator<Shown> {
    const response = await fetch(`${server.url}${path}`, {
      headers: { authorization: `Bearer ${token}` },
      signal,
    })
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('content-type'), 'application/stream+json')
    const body = Readable.fromWeb(response.body as never)
    for await (const line of createInterface(body)) if (line !== '') yield JSON.parse(line)
  }

  test('the current form is an array of what builds printed and visitors asked for', async () => {
    const { token, deployment, host } = await deployLogged()
    const { status, headers, body } = await get(token, `/v2/platform/deployments/${deployment}/events`)
    assert.equal(status, 200)
    assert.match(headers.get('content-type') ?? '', /^application\/json/)
    assert.deepEqual(
      body.map(({ type, payload }: Shown) => [type, payload.text.replace(/\d+ms$/, '?ms')]),
      [
        ['command', 'npm run build'],
        ['stdout', '100% done'],
        ['request', 'GET /'],
        ['response', 'GET / 200 ?ms'],
        ['request', 'GET /?a=1'],
        ['response', 'GET /?a=1 200 ?ms'],
        ['request', 'GET /missing'],
        ['response', 'GET /missing 404 ?ms'],
      ],
    )
    assert.deepEqual(body[0].payload.info, { type: 'build', name: 'bld_1', entrypoint: 'package.json' })
    assert.deepEqual([body[3].payload.info.type, body[3].payload.info.name], ['static', host])
    for (const { created, payload } of body) {
      assert.equal(payload.deploymentId, deployment)
      assert.match(payload.id, /^\d{24}$/)
      assert.match(payload.serial, /^\d{19}$/)
      assert.ok(payload.serial.startsWith(String(created)))
      assert.ok(Math.abs(payload.date - created) < 60_000)
    }
    const byHost = await get(token, `/v2/platform/deployments/${host}/events`)
    assert.deepEqual(byHost.body, body)
  })

  test('the older form is the same everywhere', async () => {
    const { token, deployment } = await deployLogged()
    const [first, ...others] = await Promise.all(
      OLDER.map(async (path) => (await get(token, path.replace(':id', deployment))).body),
    )
    for (const other of others) assert.deepEqual(other, first)
    const { logs } = first
    assert.equal(logs.length, 8)
    const { object, id, created, appName, region, type } = logs[7]
    assert.deepEqual(
      { ...object, host: '', remoteAddr: '' },
      {
        method: 'GET',
        uri: '/missing',
        protocol: 'HTTP/1.1',
        userAgent: 'visitor/1',
        status: '404',
        bodyBytesSent: object.bodyBytesSent,
        host: '',
        remoteAddr: '',
      },
    )
    assert.match(object.bodyBytesSent, /^\d+$/)
    assert.match(id, /^log_\d{24}$/)
    assert.ok(Math.abs(Date.parse(created) - Date.now()) < 60_000)
    assert.deepEqual([appName, region, type], ['logged', 'iad1', 'response'])
    assert.deepEqual(logs[0].object, {})
  })

  test('every parameter chooses among the entries', async () => {
    const { token, deployment } = await deployLogged()
    const path = `/v2/platform/deployments/${deployment}/events`
    const texts = async (query: string): Promise<string> => {
      const { status, body } = await get(token, `${path}?${query}`)
      assert.equal(status, 200, query)
      return body.map(({ payload }: Shown) => payload.text.replace(/ \d+ms$/, '')).join(', ')
    }
    assert.equal(await texts('limit=2'), 'npm run build, 100% done')
    assert.equal(await texts('limit=2&direction=backward'), 'GET /missing 404, GET /missing')
    assert.equal(await texts('limit=0'), '')
    assert.equal(await texts('types=command,response&limit=2'), 'npm run build, GET / 200')
    assert.equal(await texts('q=0%25'), '100% done')
    assert.equal(await texts('q=a%3D1'), 'GET /?a=1, GET /?a=1 200')
    assert.equal(await texts('name=bld_1'), 'npm run build, 100% done')
    assert.equal(await texts('builds=1'), 'npm run build, 100% done')
    assert.equal(await texts('statusCode=404'), 'GET /missing 404')
    assert.equal(await texts('statusCode=2xx'), 'GET / 200, GET /?a=1 200')
    assert.equal(await texts('instanceId=none'), '')
    const all = (await get(token, path)).body
    const [serial, created] = [all[5].payload.serial, all[7].created]
    assert.equal(await texts(`since=${serial}`), 'GET /missing, GET /missing 404')
    assert.equal(await texts(`until=${serial}&limit=1&direction=backward`), 'GET /?a=1')
    assert.equal(await texts(`since=${created + 1}`), '')
    assert.equal((await texts(`until=${created}`)).split(', ').length, 8)
    assert.equal(await texts('until=1'), '')
  })

  test('a parameter that cannot be meant is refused, in the words of the form', async () => {
    const { token, deployment } = await deployLogged()
    const current = await get(token, `/v2/platform/deployments/${deployment}/events?statusCode=abc`)
    assert.deepEqual([current.status, current.body.error.code], [400, 'bad_request'])
    assert.match(current.body.error.message, /^Invalid request: `statusCode` should be/)
    const older = await get(token, `/platform/deployments/${deployment}/logs?follow=1&until=5`)
    assert.deepEqual([older.status, older.body.error.code], [400, 'bad_request'])
    assert.match(older.body.error.url, /\/errors\/bad_request$/)
  })

  test('lines hold one entry each, in either form', async () => {
    const { token, deployment } = await deployLogged()
    for (const [path, key] of [
      ['/v2/platform/deployments/:id/events', 'payload'],
      ...OLDER.map((older) => [older, 'appName'] as const),
    ] as const) {
      const response = await fetch(`${server.url}${path.replace(':id', deployment)}?format=lines&limit=3`, {
        headers: { authorization: `Bearer ${token}` },
      })
      assert.equal(response.headers.get('content-type'), 'application/stream+json')
      const lines = (await response.text()).trimEnd().split('\n')
      assert.equal(lines.length, 3)
      for (const line of lines) assert.ok(key in JSON.parse(line))
    }
  })

  test('following tells what was there and what comes, until the client leaves', async () => {
    const { token, deployment, host } = await deployLogged()
    const leave = new AbortController()
    const path = `/v2/platform/deployments/${deployment}/events?follow=1&limit=1`
    const entries = follow(token, path, leave.signal)
    const text = async () => (await entries.next()).value.payload.text.replace(/ \d+ms$/, '')
    assert.equal(await text(), 'GET /missing 404')
    await server.visit(host, '/new')
    assert.equal(await text(), 'GET /new')
    assert.equal(await text(), 'GET /new 404')
    leave.abort()
    await assert.rejects(entries.next(), { name: 'AbortError' })
  })

  test('following the builds of a finished deployment ends with their last line', async () => {
    const { token, deployment } = await deployLogged()
    for (const path of ['/v2/platform/deployments/:id/events', ...OLDER]) {
      const texts: string[] = []
      const on = `${path.replace(':id', deployment)}?follow=1&builds=1`
      for await (const { payload, text } of follow(token, on, new AbortController().signal))
        texts.push(payload?.text ?? text)
      assert.deepEqual(texts, ['npm run build', '100% done'], path)
    }
  })

  test('a deployment of somebody else, or of nobody, has no log to read or to follow', async () => {
    const [{ deployment }, stranger] = [await deployLogged(), await server.signUp()]
    for (const path of ['/v2/platform/deployments/:id/events', ...OLDER])
      for (const query of ['', '?follow=1', '?format=lines']) {
        const foreign = await get(stranger.token, `${path.replace(':id', deployment)}${query}`)
        assert.equal(foreign.status, 403, path)
        const unknown = await get(stranger.token, `${path.replace(':id', 'dpl_unknown')}${query}`)
        assert.deepEqual([unknown.status, unknown.body.error.code], [404, 'not_found'], path)
      }
  })

  /** Follows a log in each way that there is, until the server ends it. Resolves once all have begun. */
  async function followAll(token: string, { deployment, projectId }: Logged, query = '') {
    const paths = [
      ...['/v2/platform/deployments/:id/events', ...OLDER].map((path) => path.replace(':id', deployment)),
      `/v1/projects/${projectId}/logs`,
      `/v1/projects/${projectId}/deployments/${deployment}/runtime-logs`,
    ]
    const responses = await Promise.all(
      paths.map((path) =>
        fetch(`${server.url}${path}?follow=1${query}`, { headers: { authorization: `Bearer ${token}` } }),
      ),
    )
    for (const { status, url } of responses) assert.equal(status, 200, url)
    return { ended: Promise.all(responses.map((response) => response.text())) }
  }

  test('following ends with the token that it was begun with', async () => {
    const logged = await deployLogged()
    const { body } = await server.call('POST /v3/user/tokens', {
      token: logged.token,
      body: { name: 'other' },
    })
    const { ended } = await followAll(body.bearerToken, logged)
    await server.call('DELETE /v3/user/tokens/current', { token: body.bearerToken })
    await ended
  })

  test('following ends for a member who is removed from the team', async () => {
    const [owner, member] = [await server.signUp(), await server.signUp()]
    const team = await server.newTeam(owner, member)
    const logged = await deployLogged(owner, `?teamId=${team.id}`)
    const { ended } = await followAll(member.token, logged, `&teamId=${team.id}`)
    await server.call(`DELETE /v1/teams/${team.id}/members/${member.id}`, { token: owner.token })
    await ended
  })

  test('following ends for the account that gave the project away', async () => {
    const [from, to] = [await server.signUp(), await server.signUp()]
    const logged = await deployLogged(from)
    const { ended } = await followAll(from.token, logged)
    const { body } = await server.call(`POST /projects/${logged.projectId}/transfer-request`, {
      token: from.token,
    })
    const taken = await server.call(`PUT /projects/transfer-request/${body.code}`, {
      token: to.token,
      body: {},
    })
    assert.equal(taken.status, 202)
    await ended
  })

  test('of a deployment that was deleted nothing stays, not even what its build printed as it was ended', async () => {
    const { token, deployment } = await deployLogged()
    const { status } = await server.call(`DELETE /v13/deployments/${deployment}`, { token })
    assert.equal(status, 200)
    await server.runJobs()
    const { logWriter, logStore, clock } = server.parts
    const build = createBuildLog(
      { writer: logWriter, clock, region: 'iad1' },
      { deploymentId: deployment, buildId: 'bld_1', entrypoint: 'package.json' },
    )
    const line = build.stdout('it goes on for a moment')
    await server.flushLogs()
    await line
    server.clock.advance(2 * MINUTE)
    await server.runJobs()
    const { entries } = await logStore.read(deployment, { direction: 'forward', limit: 10 })
    assert.deepEqual(entries, [])
  })
})
