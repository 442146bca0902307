import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { after, test } from 'node:test'
import { Type } from 'typebox'
import { register, verify } from '#contract/api/login.ts'
import { metrics } from '#contract/api/system.ts'
import { changeRole, createTeam, getTeam, listTeams } from '#contract/api/team.ts'
import { createToken } from '#contract/api/token.ts'
import { getUser } from '#contract/api/user.ts'
import { endpoint } from '#contract/endpoint.ts'
import { AloftError } from '#contract/errors.ts'
import { PERSONAL } from '#contract/scopes.ts'
import { ApiError } from './api-error.ts'
import type { Trace } from './call/trace.ts'
import { type ClientSettings, createClient } from './client.ts'
import { answers, startTestApi, type TestAnswer } from './client-testing.ts'
import { ConnectionError } from './connection-error.ts'

const TOKEN = 'tok0123456789abcdef'
const user = {
  id: 'u1',
  uid: 'u1',
  email: 'a@b.example',
  username: 'a',
  name: null,
  avatar: null,
  createdAt: 1,
  plan: 'pro' as const,
  softBlocked: false,
  operator: false,
}
const team = {
  id: 't1',
  slug: 'acme',
  name: 'Acme',
  creatorId: 'u1',
  created: '2030-01-01T00:00:00.000Z',
  avatar: null,
  membersMayEditProduction: true,
}

const upload = endpoint({
  on: 'POST /upload',
  gen: 'current',
  summary: 'A raw body',
  access: PERSONAL,
  limit: 'upload',
  body: 'raw',
  reply: Type.Object({ size: Type.Integer() }),
})

const closing: (() => Promise<unknown>)[] = []
after(() => Promise.all(closing.map((close) => close())))

async function api(...table: TestAnswer[]) {
  const server = await startTestApi(table)
  closing.push(server.stop)
  return server
}

/** A server for what no Aloft would do on purpose. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(async () => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const connect = (baseUrl: string, settings: Partial<ClientSettings> = {}) => {
  const waits: number[] = []
  const wait = async (ms: number) => void waits.push(ms)
  return { waits, client: createClient({ baseUrl, token: TOKEN, wait, ...settings }) }
}

const thrownBy = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => assert.fail('it should have failed'),
    (error) => error,
  )

test('a call fills the path, sends the token and the team, and answers what the row describes', async () => {
  const server = await api(answers(getTeam, () => team))
  const { client } = connect(server.baseUrl, { teamId: 'team_1', userAgent: 'aloft/test' })
  assert.deepEqual(await client.call(getTeam, { params: { id: 'a/b ?' } }), team)
  const [seen] = server.requests
  assert.equal(seen?.path, '/v1/teams/a%2Fb%20%3F')
  assert.deepEqual(seen?.query, { teamId: 'team_1' })
  assert.equal(seen?.headers.authorization, `Bearer ${TOKEN}`)
  assert.equal(seen?.headers['user-agent'], 'aloft/test')
})

test('query values that are undefined are left out, and bodies are JSON', async () => {
  const server = await api(
    answers(register, () => ({ token: 'poll', securityCode: 'Swift Otter' })),
    answers(listTeams, () => team),
  )
  const { client } = connect(server.baseUrl)
  await client.call(register, { query: { mode: 'login' }, body: { email: 'a@b.example', tokenName: 'x' } })
  await client.call(listTeams, { query: { slug: 'acme', limit: 3 } })
  const [first, second] = server.requests
  assert.deepEqual([first?.query, first?.body], [{ mode: 'login' }, { email: 'a@b.example', tokenName: 'x' }])
  assert.deepEqual(second?.query, { slug: 'acme', limit: '3' })
})

test('a public endpoint is not shown the token or the team', async () => {
  const server = await api(answers(register, () => ({ token: 'poll', securityCode: 'Swift Otter' })))
  const { client } = connect(server.baseUrl, { teamId: 'team_1' })
  await client.call(register, { body: { email: 'a@b.example', tokenName: 'x' } })
  assert.equal(server.requests[0]?.headers.authorization, undefined)
  assert.deepEqual(server.requests[0]?.query, {})
})

test('a path value that would lead to another path is not sent', async () => {
  const server = await api()
  const { client } = connect(server.baseUrl)
  for (const id of ['', '.', '..'])
    await assert.rejects(client.call(getTeam, { params: { id } }), /`id` cannot be/)
  assert.deepEqual(server.requests, [])
})

test('empty, raw and page answers come in their own forms', async () => {
  const server = await api(
    answers(changeRole, () => undefined),
    answers(metrics, () => ({ type: 'text/plain', body: 'up 1' })),
    answers(upload, ({ body }) => ({ size: body.length })),
  )
  const { client } = connect(server.baseUrl)
  const role = { params: { id: 't1', userId: 'u1' }, body: { role: 'OWNER' as const } }
  assert.equal(await client.call(changeRole, role), undefined)
  assert.equal(await (await client.call(metrics)).text(), 'up 1')
  assert.deepEqual(
    await client.call(upload, { body: Readable.from([Buffer.from('abc'), Buffer.from('de')]) }),
    { size: 5 },
  )
  assert.deepEqual(await client.call(upload, { body: Buffer.from('abc') }), { size: 3 })
})

test('a refusal carries status, code, message, extra fields and the request id', async () => {
  const server = await api(
    answers(createTeam, () => {
      throw new AloftError('slug_taken', 'The slug `acme` is taken.', { slug: 'acme' })
    }),
  )
  const error = await thrownBy(connect(server.baseUrl).client.call(createTeam, { body: { slug: 'acme' } }))
  assert.ok(error instanceof ApiError)
  const { status, code, message, extra, requestId } = error
  assert.deepEqual(
    { status, code, message, extra, requestId },
    {
      status: 400,
      code: 'slug_taken',
      message: 'The slug `acme` is taken.',
      extra: { slug: 'acme' },
      requestId: 'req_test1',
    },
  )
})

test('an answer that no Aloft gives is told apart from one', async () => {
  const html = await serve((_req, res) => res.setHeader('content-type', 'text/html').end('<p>Welcome'))
  const broken = await serve((_req, res) => res.setHeader('content-type', 'application/json').end('{"user":'))
  const other = await serve((_req, res) =>
    res.writeHead(500, { 'content-type': 'application/json' }).end('{"error":"boom"}'),
  )
  const proxy = await serve((_req, res) =>
    res.writeHead(502, { 'content-type': 'text/html' }).end('Bad Gateway'),
  )
  for (const [baseUrl, status] of [
    [html, 200],
    [broken, 200],
    [other, 500],
    [proxy, 502],
  ] as const) {
    const error = await thrownBy(connect(baseUrl).client.call(getUser))
    assert.ok(error instanceof ApiError)
    assert.deepEqual([error.status, error.code], [status, 'unexpected_answer'])
    assert.match(error.message, new RegExp(`^${baseUrl} answered ${status}`))
  }
})

test('a redirect is named and not followed, and takes no token along', async () => {
  let followed = 0
  const target = await serve((_req, res) => {
    followed++
    res.end()
  })
  const baseUrl = await serve((req, res) => res.writeHead(301, { location: `${target}${req.url}` }).end())
  const error = await thrownBy(
    connect(baseUrl).client.call(verify, { query: { email: 'a@b.example', token: 's3cret' } }),
  )
  assert.ok(error instanceof ApiError)
  assert.match(error.message, new RegExp(`redirects to ${target},`))
  assert.doesNotMatch(error.message, /s3cret/)
  assert.equal(followed, 0)
})

test('when nothing listens, the error names the address, the reason and what to try', async () => {
  const server = await api()
  await server.stop()
  closing.pop()
  const { client, waits } = connect(server.baseUrl)
  const error = await thrownBy(client.call(getUser))
  assert.ok(error instanceof ConnectionError)
  assert.equal(error.message, `Could not reach ${server.baseUrl}: nothing listens there.`)
  assert.match(error.hint, /Check that Aloft is running there/)
  assert.deepEqual(waits, [])
})

test('a host name that does not resolve is told', async () => {
  const fetch = async () => {
    throw new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code: 'ENOTFOUND' }) })
  }
  const error = await thrownBy(connect('http://nowhere.example', { fetch }).client.call(getUser))
  assert.ok(error instanceof ConnectionError)
  assert.equal(error.reason, 'unknown_host')
})

test('https spoken to a plain port is told as that', async () => {
  const server = await api()
  const error = await thrownBy(connect(server.baseUrl.replace('http:', 'https:')).client.call(getUser))
  assert.ok(error instanceof ConnectionError)
  assert.equal(error.reason, 'not_http')
})

test('a GET survives connections that are cut, before the answer and within it', async () => {
  let count = 0
  const baseUrl = await serve((req, res) => {
    count++
    if (count === 1) return void req.socket.resetAndDestroy()
    const json = JSON.stringify({ user })
    res.writeHead(200, { 'content-type': 'application/json', 'content-length': json.length })
    if (count === 2) return void res.write(json.slice(0, 10), () => req.socket.resetAndDestroy())
    res.end(json)
  })
  const { client, waits } = connect(baseUrl)
  assert.equal((await client.call(getUser)).user.email, 'a@b.example')
  assert.deepEqual(waits, [100, 400])
})

test('a GET gives up after three cut connections, and a POST after one', async () => {
  let count = 0
  const baseUrl = await serve((req) => {
    count++
    req.socket.resetAndDestroy()
  })
  const { client } = connect(baseUrl)
  const error = await thrownBy(client.call(getUser))
  assert.ok(error instanceof ConnectionError)
  assert.equal(error.reason, 'dropped')
  assert.equal(count, 3)
  await thrownBy(client.call(createTeam, { body: { slug: 'acme' } }))
  assert.equal(count, 4)
})

test('503 with Retry-After is waited out by a GET', async () => {
  let count = 0
  const server = await api(answers(getUser, () => ({ user })))
  const fetch: typeof globalThis.fetch = (input, init) =>
    ++count === 1
      ? Promise.resolve(
          Response.json(
            { error: { code: 'service_unavailable', message: 'Later.' } },
            { status: 503, headers: { 'retry-after': '7' } },
          ),
        )
      : globalThis.fetch(input, init)
  const { client, waits } = connect(server.baseUrl, { fetch })
  await client.call(getUser)
  assert.deepEqual(waits, [7000])
})

test('a rate limit is waited out once, also by a POST; the second is an error that says how long', async () => {
  let count = 0
  const baseUrl = await serve((_req, res) => {
    count++
    res
      .writeHead(429, { 'content-type': 'application/json', 'retry-after': '2' })
      .end('{"error":{"code":"too_many_requests","message":"Too many.","limit":{"total":1}}}')
  })
  const { client, waits } = connect(baseUrl)
  const error = await thrownBy(client.call(createTeam, { body: { slug: 'acme' } }))
  assert.ok(error instanceof ApiError)
  assert.deepEqual([count, waits, error.retryAfterMs], [2, [2000], 2000])
})

test('an answer that does not come, or not to its end, ends in a timeout', async () => {
  const never = await serve(() => {})
  const half = await serve((_req, res) => {
    res.writeHead(200, { 'content-type': 'application/json' })
    res.write('{')
  })
  for (const baseUrl of [never, half]) {
    const error = await thrownBy(connect(baseUrl, { timeoutMs: 50 }).client.call(getUser))
    assert.ok(error instanceof ConnectionError)
    assert.equal(error.reason, 'timeout')
  }
})

test('a call can be called off, also while it waits', async () => {
  const controller = new AbortController()
  const reason = new Error('enough')
  const never = await serve(() => controller.abort(reason))
  assert.equal(await thrownBy(connect(never).client.call(getUser, { signal: controller.signal })), reason)

  const waiting = new AbortController()
  const limited = await serve((_req, res) =>
    res
      .writeHead(429, { 'content-type': 'application/json', 'retry-after': '30' })
      .end('{"error":{"code":"too_many_requests","message":"Too many."}}'),
  )
  const client = createClient({
    baseUrl: limited,
    token: TOKEN,
    trace: ({ kind }) => kind === 'wait' && queueMicrotask(() => waiting.abort(reason)),
  })
  assert.equal(await thrownBy(client.call(getUser, { signal: waiting.signal })), reason)
})

test('the trace shows requests and answers, and no token in any form', async () => {
  const server = await api(
    answers(createToken, () => ({
      token: { id: 'i', name: 'ci', type: 'account', origin: null, createdAt: 1, activeAt: 1 },
      bearerToken: 'fresh-secret',
    })),
    answers(verify, () => ({ token: 'login-secret', email: 'a@b.example', teamId: null })),
  )
  const events: Trace[] = []
  const { client } = connect(server.baseUrl, { trace: (event) => events.push(event) })
  await client.call(createToken, { body: { name: 'ci' } })
  await client.call(verify, { query: { email: 'a@b.example', token: 'poll-secret' } })
  const text = JSON.stringify(events)
  assert.deepEqual(
    events.map(({ kind }) => kind),
    ['request', 'answer', 'request', 'answer'],
  )
  assert.match(text, /"name":"ci"/)
  assert.doesNotMatch(text, /secret|tok0123456789abcdef/)
})

test('the client does not carry the token where it could be printed', () => {
  const { client } = connect('http://localhost:3000')
  assert.doesNotMatch(JSON.stringify(client), new RegExp(TOKEN))
})

test('a token that cannot be sent is refused without being repeated', () => {
  assert.throws(
    () => createClient({ baseUrl: 'http://localhost:3000', token: 'se\ncret' }),
    (error: Error) => !error.message.includes('cret'),
  )
})

test('a call that does not fit its row does not compile', () => {
  const { client } = connect('http://localhost:3000')
  const never = () => [
    // @ts-expect-error the path has a parameter
    client.call(getTeam),
    // @ts-expect-error the parameter has another name
    client.call(getTeam, { params: { slug: 'x' } }),
    // @ts-expect-error the path has no parameter
    client.call(getUser, { params: { id: 'x' } }),
    // @ts-expect-error the row has a body
    client.call(createTeam),
    // @ts-expect-error the row has no body
    client.call(getUser, { body: {} }),
    // @ts-expect-error the body lacks a property
    client.call(createTeam, { body: { name: 'x' } }),
    // @ts-expect-error the query has required properties
    client.call(verify),
    // @ts-expect-error the query has no such property
    client.call(listTeams, { query: { nope: 1 } }),
    // @ts-expect-error the answer has no such property
    client.call(getUser).then(({ team }) => team),
  ]
  assert.equal(typeof never, 'function')
})
