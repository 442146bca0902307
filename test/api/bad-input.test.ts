import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import fc from 'fast-check'
import { methodOf, pathOf } from '#contract/endpoint.ts'
import { ERRORS, type ErrorSpec } from '#contract/errors.ts'
import { apiSuite } from '#test/support/api-suite.ts'
import { listEndpoints } from '#test/support/endpoints.ts'

/** Every pair of status and code that the table of errors allows. */
const KNOWN = new Set(
  Object.entries(ERRORS as Record<string, ErrorSpec>).flatMap(([kind, spec]) =>
    [kind, spec.code, spec.legacy].map((code) => `${spec.status} ${code}`),
  ),
)

/** The one that is not over when it has answered, and the one that always says 501 in the words of Git LFS. */
const LEFT_OUT = ['GET /v1/changes', 'POST /git/:account/:repository/info/lfs/objects/batch']
const rows = listEndpoints().filter(({ on }) => !LEFT_OUT.includes(on))
const anyRow = fc.constantFrom(...rows)
/** Text of every kind: control characters, quotes, half surrogates, traversal. */
const nasty = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    '\0',
    '../../etc/passwd',
    '%00',
    '{{7*7}}',
    "' or 1=1 --",
    '\ud800',
    '𝔘',
    'a'.repeat(5000),
    '-1',
    '1e999',
  ),
)
const path = (pattern: string, values: readonly string[]) => {
  let i = 0
  return pattern.replace(
    /:\w+/g,
    () => encodeURIComponent((values[i++ % values.length] ?? 'x').toWellFormed()) || 'x',
  )
}

apiSuite('bad input', (server) => {
  const runs = { numRuns: 150 }
  const wellFormed = (answer: { status: number; body: unknown }, about: string) => {
    assert.ok(answer.status < 500, `${about} answered ${answer.status} ${JSON.stringify(answer.body)}`)
    if (answer.status < 400 || typeof answer.body === 'string') return
    const { code, message } = (answer.body as { error: { code: string; message: string } }).error
    assert.ok(KNOWN.has(`${answer.status} ${code}`), `${about}: ${answer.status} ${code}`)
    assert.equal(typeof message, 'string')
    assert.doesNotMatch(message, /sqlite|postgres|kysely|\.ts:\d+/i)
  }
  const alive = async () => assert.equal((await server.call('GET /healthz')).status, 200)

  test('a body of objects without end is refused, unless they are items of a long list', async () => {
    const { token } = await server.signUp()
    const post = (body: string) =>
      fetch(`${server.url}/v8/platform/deployments`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body,
      })
    const many = `${'{"a":1},'.repeat(200_000)}{}`
    const refused = await post(`{"name":"many","meta":{"a":[${many}]}}`)
    assert.equal(refused.status, 400)
    assert.match(await refused.text(), /more than 250,000 items and keys/)
    const list = await post(`{"name":"many","files":[${many}]}`)
    assert.doesNotMatch(await list.text(), /items and keys/)
  })

  test('a body of numbers without end is refused, unless they are items of a long list', async () => {
    const { token } = await server.signUp()
    const post = async (path: string, body: string) => {
      const answer = await server.call(`POST ${path}`, { token, body })
      return [answer.status, answer.body.error?.message]
    }
    const many = `[${'0,'.repeat(300_000)}0]`
    const refused = [
      400,
      'Invalid request: the body has more than 250,000 items and keys outside of its long lists.',
    ]
    for (const path of ['/v9/projects/x/env', '/v10/projects/x/env', '/v1/projects', '/v1/teams'])
      assert.deepEqual(await post(path, many), refused, path)
    assert.deepEqual(await post('/v8/platform/deployments', `{"name":"many","meta":{"a":${many}}}`), refused)
    assert.deepEqual(await post('/v8/platform/deployments', `{"name":"many","version":2,"files":${many}}`), [
      400,
      'Invalid request: `files[0]` should be an object.',
    ])
  })

  test('a body that is nested without end is refused', async () => {
    const { token } = await server.signUp()
    const post = async (meta: string) => {
      const answer = await fetch(`${server.url}/v8/platform/deployments`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: `{"name":"deep","version":2,"files":[{"file":"a","data":"b"}],"meta":{"a":${meta}}}`,
      })
      return { status: answer.status, body: (await answer.json()) as { error?: { message: string } } }
    }
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      const nested = (depth: number) => `${open.repeat(depth)}1${close.repeat(depth)}`
      const refused = await post(nested(50_000))
      assert.equal(refused.status, 400)
      assert.match(refused.body.error?.message ?? '', /nested/)
      // Seen before it is parsed, which would say that it does not end.
      assert.match((await post(open.repeat(300_000))).body.error?.message ?? '', /nested/)
      assert.equal((await post(nested(99))).status, 400)
      assert.equal((await post(nested(98))).status, 200)
    }
    await alive()
  })

  test('any JSON in any body gets a documented answer', async () => {
    const { token } = await server.signUp()
    await fc.assert(
      fc.asyncProperty(
        anyRow,
        fc.jsonValue({ maxDepth: 3 }),
        fc.array(nasty, { minLength: 1, maxLength: 3 }),
        async (row, body, values) => {
          const bare = methodOf(row) === 'GET'
          const on = `${methodOf(row)} ${path(pathOf(row), values)}`
          wellFormed(await server.call(on, { token, ...(bare ? {} : { body: JSON.stringify(body) }) }), on)
        },
      ),
      runs,
    )
    await alive()
  })

  test('bodies with the right keys and wrong values get a documented answer', async () => {
    const { token } = await server.signUp()
    const keys = [
      'slug',
      'name',
      'email',
      'role',
      'tokenName',
      'expiresAt',
      'value',
      'plan',
      'softBlocked',
      'token',
      'alias',
      'files',
      'version',
      'env',
      'routes',
    ]
    const value = fc.oneof(
      nasty,
      fc.jsonValue({ maxDepth: 2 }),
      fc.constantFrom(null, {}, [], 0, -1, true, 1e21),
    )
    const body = fc.dictionary(fc.constantFrom(...keys), value, { minKeys: 1 })
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...rows.filter((row) => row.body !== undefined)),
        body,
        async (row, given) => {
          const on = `${methodOf(row)} ${path(pathOf(row), ['x'])}`
          wellFormed(
            await server.call(on, { token, body: JSON.stringify(given) }),
            `${on} ${JSON.stringify(given)}`,
          )
        },
      ),
      runs,
    )
    await alive()
  })

  test('any query gets a documented answer', async () => {
    const { token } = await server.signUp()
    const names = fc.constantFrom(
      'limit',
      'since',
      'until',
      'slug',
      'teamId',
      'mode',
      'email',
      'token',
      'state',
      'meta-a',
      'x',
    )
    await fc.assert(
      fc.asyncProperty(anyRow, fc.array(fc.tuple(names, nasty), { maxLength: 4 }), async (row, pairs) => {
        const query = new URLSearchParams(
          pairs.map(([name, value]) => [name, value.toWellFormed()] as [string, string]),
        )
        const on = `GET ${path(pathOf(row), ['x'])}?${query}`
        wellFormed(await server.call(on, { token }), on)
      }),
      runs,
    )
    await alive()
  })

  test('any bytes as a body get a documented answer', async () => {
    const { token } = await server.signUp()
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
        const response = await fetch(`${server.url}/v1/teams`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: Buffer.from(bytes),
        })
        wellFormed(
          { status: response.status, body: await response.json() },
          Buffer.from(bytes).toString('hex'),
        )
      }),
      runs,
    )
    await alive()
  })

  /** Writes raw bytes and reads until the server closes or has answered. */
  async function raw(text: string): Promise<string> {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
    socket.setTimeout(3000, () => socket.destroy())
    socket.on('error', () => {})
    const chunks: Buffer[] = []
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.end(text, 'latin1')
    await once(socket, 'close')
    return Buffer.concat(chunks).toString('latin1')
  }

  const malformed: [string, string][] = [
    ['a header without a colon', 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nnonsense\r\n\r\n'],
    ['a control character in a header', 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-A: a\x01b\r\n\r\n'],
    [
      'two different lengths',
      'POST /v1/teams HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}',
    ],
    [
      'length and chunks',
      'POST /v1/teams HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['no host', 'GET /healthz HTTP/1.1\r\n\r\n'],
    ['two hosts', 'GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n'],
    ['a huge header', `GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-A: ${'a'.repeat(100_000)}\r\n\r\n`],
    ['a bad chunk', 'POST /v1/teams HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'],
    ['an unknown method', 'DANCE /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n'],
  ]
  for (const [what, text] of malformed)
    test(`${what} is answered with bad_request`, async () => {
      const answer = await raw(text)
      assert.match(answer, /^HTTP\/1\.1 400 /)
      assert.match(answer, /"code":"bad_request"/)
      await alive()
    })

  test('duplicate headers that must be single do not confuse who is asking', async () => {
    const { token } = await server.signUp()
    const head = `GET /v2/user HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nAuthorization: Bearer other\r\nConnection: close\r\n\r\n`
    const answer = await raw(head)
    assert.match(answer, /^HTTP\/1\.1 (200|400|403) /)
    await alive()
  })

  test('HTTP/1.0 is answered, with and without a host', async () => {
    assert.match(await raw('GET /healthz HTTP/1.0\r\n\r\n'), /^HTTP\/1\.1 200 /)
    assert.match(await raw('GET /healthz HTTP/1.0\r\nHost: localhost\r\n\r\n'), /^HTTP\/1\.1 200 /)
  })

  test('a body that is cut off changes nothing', async () => {
    const { token } = await server.signUp()
    await raw(
      `POST /v1/teams HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Length: 100\r\n\r\n{"slug":"half"`,
    )
    assert.deepEqual((await server.call('GET /v1/teams', { token })).body.teams, [])
    await alive()
  })
})
