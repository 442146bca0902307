import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { connect as connectTls } from 'node:tls'
import { zipSync } from 'fflate'
import { pack } from 'tar-stream'
import { unpack } from '#adapters/runner-process/program/unpack.ts'
import { unpackTar } from '#builder/environment/toolchain/unpack-tar.ts'
import { methodOf, pathOf } from '#contract/endpoint.ts'
import { AloftError } from '#contract/errors.ts'
import { compileGlob, GlobError, globBudget } from '#contract/glob/glob.ts'
import { readCertificateName } from '#core/certificate/certificate-name.ts'
import { readUpload } from '#core/certificate/uploaded-certificate.ts'
import { readDomainName } from '#core/domain/domain-name.ts'
import { matchRoutes } from '#core/routing/match/match-routes.ts'
import { compileOutputRoutes } from '#core/routing/read/compile-output-routes.ts'
import { compileRoutes } from '#core/routing/read/compile-routes.ts'
import { decodePath } from '#core/routing/url/request-path.ts'
import { Responder } from '#dns/responder.ts'
import { readZip } from '#src/dashboard/deploy/read-zip.ts'
import { SelectionError } from '#src/dashboard/deploy/selection.ts'
import { readServerName } from '#src/process/tls/tls-names.ts'
import { question } from '#test/support/dns/dns-client.ts'
import { createResolver, createZones, zoneOf } from '#test/support/dns/zones.ts'
import { listEndpoints } from '#test/support/endpoints.ts'
import { parseResponses, rawExchange, start, testAuthority } from '#test/support/http/listener.ts'
import { startServer } from '#test/support/server.ts'
import { silentLog } from '#test/support/silent-log.ts'
import { makeAuthority, makeLeaf } from '#test/support/tls/pki.ts'
import type { Target } from './fuzz.ts'
import type { Random } from './random.ts'

/** Whether it was refused in words that are meant for whoever sent it. */
const inWords = async (run: () => unknown): Promise<void> => {
  try {
    await run()
  } catch (error) {
    if (!(error instanceof AloftError)) throw error
    assert.ok(error.status < 500, error.message)
  }
}

const HEADS = [
  ...[
    'GET ',
    'POST ',

    '/',
    '*',
    '/a?b',
    'http://a.localhost/',
    ' HTTP/1.1',
    ' HTTP/1.0',
    '\r\n',
    '\n',
    '\r',
    ' ',
    ':',
  ],
  ...[
    'Host: a.localhost',
    'Content-Length: 3',
    'Content-Length: ',
    'Transfer-Encoding: chunked',
    'Expect: 100-continue',
  ],
  ...[
    'Connection: close',
    'Upgrade: websocket',
    '3\r\nabc\r\n',
    '0\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: a.localhost\r\n\r\n',
  ],
]
const GOOD = 'GET /good HTTP/1.1\r\nHost: a.localhost\r\nConnection: close\r\n\r\n'

async function listeners(): Promise<readonly Target[]> {
  const closing: (() => unknown)[] = []
  const { port, tlsPort } = await start({ after: (end: () => unknown) => void closing.push(end) } as never, {
    tlsPort: 'any',
  })
  const { certPem } = await testAuthority()
  const served = async () => {
    const [next] = parseResponses(await rawExchange(port, GOOD))
    assert.equal(next?.status, 200, 'the next connection is not served')
  }
  /** Frames as HTTP/2 has them, with whatever in them. */
  const frames = (random: Random): Buffer =>
    Buffer.concat(
      random.list(12, () => {
        const payload = random.bytes(random.chance(4) ? 300 : 24)
        const head = Buffer.alloc(9)
        head.writeUIntBE(random.chance(8) ? random.below(2 ** 24) : payload.length, 0, 3)
        head[3] = random.below(random.chance(8) ? 256 : 11)
        head[4] = random.pick([0, 1, 4, 5, 8, 0x20, random.below(256)])
        head.writeUInt32BE(random.pick([0, 1, 3, 2, 5, random.below(2 ** 31)]), 5)
        return Buffer.concat([head, payload])
      }),
    )
  return [
    {
      name: 'http1',
      async once(random) {
        const head = random.chance(3)
          ? random.mutate(Buffer.from(GOOD, 'latin1'))
          : Buffer.from(random.text(HEADS, 25), 'latin1')
        parseResponses(await rawExchange(port, head, true))
        await served()
      },
      close: async () => {
        for (const end of closing.reverse()) await end()
      },
    },
    {
      name: 'http2',
      async once(random) {
        const socket = connectTls({
          port: tlsPort as number,
          host: '127.0.0.1',
          ca: certPem,
          ALPNProtocols: ['h2'],
        })
        socket.on('error', () => {}).resume()
        await once(socket, 'secureConnect')
        const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0', 'latin1')
        socket.write(random.chance(10) ? random.mutate(preface) : preface)
        socket.end(frames(random))
        if (!socket.destroyed) await once(socket, 'close')
        await served()
      },
    },
  ]
}

function dns(): Target {
  const clock = { now: () => 1_000_000, monotonic: () => 1_000_000 }
  const responder = new Responder({
    zones: createZones(
      zoneOf('example.com', [
        ['', 'ALIAS', 'far.example.net'],
        ['www', 'A', '192.0.2.1'],
        ['long', 'TXT', 'x'.repeat(3000)],
        ['*', 'CNAME', 'www.example.com'],
      ]),
    ),
    resolver: createResolver({}),
    clock,
    log: silentLog,
    cookieSecret: Buffer.alloc(16, 7),
    limits: { perAnswer: 1e9, perNetwork: 1e9 },
  })
  const labels = ['www', 'long', 'example', 'com', '*', '_x', 'a'.repeat(63), 'EXAMPLE']
  return {
    name: 'dns',
    async once(random) {
      const name = random.list(6, () => random.pick(labels)).join('.') || 'example.com'
      const type = random.pick(['A', 'AAAA', 'TXT', 'NS', 'SOA', 'CNAME', 'ANY', 'AXFR'])
      const packet = question(
        { name, type, ...(random.chance(2) ? { udpBytes: random.below(65_536) } : {}) } as never,
        random.below(65_536),
      )
      const sent = random.chance(5) ? packet : random.mutate(packet)
      const isTcp = random.chance(4)
      const reply = await responder.respond(sent, '198.51.100.7', isTcp)
      if (reply === undefined) return
      assert.ok(reply.length >= 12 && (isTcp || reply.length <= 1232), `${reply.length} bytes`)
      assert.ok(((reply[2] as number) & 0x80) !== 0, 'it is no answer')
      assert.deepEqual(reply.subarray(0, 2), sent.subarray(0, 2))
    },
  }
}

const PATTERN = [
  '/',
  '(',
  ')',
  '.*',
  '[^/]+',
  '(?<a>',
  '\\d',
  '$',
  '^',
  '?',
  '+',
  '{2,3}',
  '|',
  'a',
  ':id',
  '*',
  '(?!x)',
  '(?=y)',
  '\\',
  '[',
  ']',
  '%2f',
]

function routes(): Target {
  const site = { find: (path: string) => (path === '/a' ? path : undefined), hasListing: () => false }
  const text = (random: Random) => random.text(PATTERN, 12)
  const route = (random: Random): unknown =>
    random.chance(12)
      ? random.pick([null, 1, 'x', [], { handle: 'filesystem' }, { handle: 'x' }])
      : Object.fromEntries(
          random.list(6, () =>
            random.pick<readonly [string, unknown]>([
              ['src', text(random)],
              ['src', `/${text(random)}`],
              ['dest', random.text(['/', '$1', '$a', 'http://', 'x', '?q=$1', '#', '..'], 8)],
              ['status', random.pick([200, 301, 404, 999, -1, '200'])],
              ['headers', { [random.text(['x', '-', ':', '\r\n', 'set-cookie'], 3)]: text(random) }],
              ['continue', random.chance(2)],
              ['methods', random.pick([['GET'], 'GET', ['\n'], []])],
              ['handle', random.pick(['filesystem', 'hit', 'miss', 'error', 'rewrite'])],
              [
                'has',
                [
                  {
                    type: random.pick(['header', 'query', 'host', 'x']),
                    key: text(random),
                    value: text(random),
                  },
                ],
              ],
            ]),
          ),
        )
  return {
    name: 'routes',
    once(random) {
      const list = random.list(8, () => route(random))
      for (const compile of [compileRoutes, compileOutputRoutes]) {
        const result = compile(list)
        if (!result.ok) {
          for (const { message } of result.errors) assert.equal(typeof message, 'string')
          continue
        }
        for (const path of [
          '/',
          '/a',
          `/${random.text(['a', '/', '%', '.', '%2f', 'é'], 12)}`,
          `/${'a'.repeat(2000)}`,
        ]) {
          const request = {
            method: 'GET',
            path: decodePath(path),
            query: '',
            headers: {},
            host: 'a.localhost',
          }
          matchRoutes(result.table, request as never, site)
        }
      }
    },
  }
}

const globs: Target = {
  name: 'globs',
  once(random) {
    const pattern = random.text(
      [
        '*',
        '**',
        '?',
        '{a,b}',
        '{',
        '}',
        ',',
        '[a-z]',
        '[',
        ']',
        '!',
        '@(',
        '+(',
        ')',
        '|',
        '/',
        'a',
        '.',
        '\\',
      ],
      30,
    )
    const budget = globBudget(5_000_000)
    try {
      const glob = compileGlob(pattern, budget)
      for (const path of ['a', 'a/b.js', `${'a'.repeat(300)}/x`, random.text(['a', '/', '.', 'b'], 40)])
        glob.matches(path)
    } catch (error) {
      if (!(error instanceof GlobError)) throw error
    }
  },
}

const NAMES = [
  'a',
  'www',
  '.',
  '-',
  '_',
  '*',
  'xn--',
  'é',
  'ß',
  '。',
  ':80',
  '[::1]',
  '@',
  '/',
  '%00',
  ' ',
  'localhost',
  'example',
  'com',
  'co.uk',
  'a'.repeat(64),
]
const names: Target = {
  name: 'names',
  async once(random) {
    const name = random.text(NAMES, 8)
    const server = readServerName(name)
    if (server !== undefined) assert.match(server, /^[\x21-\x7e]{1,253}$/)
    await inWords(() => assert.match(readDomainName(name), /^[a-z0-9._-]{1,253}$/))
    await inWords(() => assert.match(readCertificateName(name), /^(?:\*\.)?[a-z0-9._-]{1,253}$/))
  },
}

async function pem(): Promise<Target> {
  const authority = await makeAuthority()
  const leaf = await makeLeaf(authority, ['a.example'])
  const texts = [
    leaf.cert,
    leaf.key,
    authority.cert,
    '',
    '-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n',
  ]
  return {
    name: 'pem',
    async once(random) {
      const part = () => {
        const text = random.list(2, () => random.pick(texts)).join('') || leaf.cert
        return random.chance(3) ? text : random.mutate(Buffer.from(text)).toString('latin1')
      }
      await inWords(() => readUpload({ cert: part(), key: part(), ca: part() }, Date.now()))
    },
  }
}

function tars(): Target {
  const outside = mkdtempSync(join(tmpdir(), 'aloft-fuzz-'))
  return {
    name: 'tars',
    async once(random) {
      const archive = pack()
      for (const text of random.list(5, () => random.text(['a', '/', '..', '.', 'b', '\\', 'package/'], 6))) {
        const type = random.pick(['file', 'file', 'directory', 'symlink', 'link', 'fifo'] as const)
        const header = {
          ...{ name: text.replaceAll('\0', '') || 'x', type, mode: random.below(0o10000) },
          linkname: random.text(['/', '..', 'a', '/etc'], 4).replaceAll('\0', '') || 'a',
        }
        archive.entry(header as never, type === 'file' ? 'x' : '', () => {})
      }
      archive.finalize()
      const bytes = await buffer(archive as unknown as Readable)
      const sent = random.chance(3) ? bytes : random.mutate(bytes)
      const folder = mkdtempSync(join(outside, 'in-'))
      const [one, two] = [join(folder, 'one'), join(folder, 'two')]
      const { mkdir } = await import('node:fs/promises')
      await mkdir(one)
      await unpack(Readable.from([sent]), one, { bytes: 100_000, entries: 50 }).catch(expected)
      const request = { place: (name: string) => join(two, name), empty: async () => {} }
      await unpackTar(Readable.from([sent]), request).catch(expected)
      assert.deepEqual(
        readdirSync(outside),
        [folder.slice(outside.length + 1)],
        'something was written elsewhere',
      )
      for (const name of readdirSync(folder)) assert.ok(name === 'one' || name === 'two', name)
      rmSync(folder, { recursive: true, force: true })
    },
    close: () => rmSync(outside, { recursive: true, force: true }),
  }
}

/** An archive may be refused in any words, but not by a mistake of ours. */
function expected(error: unknown): void {
  if (error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError)
    throw error
}

const zips: Target = {
  name: 'zips',
  async once(random) {
    const files = Object.fromEntries(
      random.list(4, () => [
        random.text(['a', '/', '..', 'b', '.', '\\', '__MACOSX/'], 5) || 'x',
        random.bytes(200),
      ]),
    )
    const whole = Buffer.from(zipSync(files as never))
    const bytes = random.chance(4) ? whole : random.mutate(whole)
    const copy = new Uint8Array(bytes)
    try {
      const found = await readZip({ size: copy.length, arrayBuffer: async () => copy.buffer as ArrayBuffer })
      for (const { path, size } of found) {
        assert.ok(!path.startsWith('/') && !path.split('/').includes('..'), path)
        assert.ok(size <= 500_000_000)
      }
    } catch (error) {
      assert.ok(error instanceof SelectionError, String(error))
    }
  },
}

interface Schema {
  readonly type?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
}

const NASTY = [
  '',
  ' ',
  '\0',
  '../..',
  '__proto__',
  'constructor',
  "' or 1=1",
  '%00',
  'é',
  '\ud800',
  'x'.repeat(3000),
  'http://127.0.0.1/',
  '1e999',
]

/** A value as its schema wants it, or nearly. */
function valueFor(schema: Schema | undefined, random: Random, depth = 0): unknown {
  if (schema === undefined || random.chance(8))
    return random.pick<unknown>([
      null,
      true,
      -1,
      1.5,
      2 ** 53,
      '',
      [],
      {},
      random.pick(NASTY),
      [[[]]],
      { a: { b: [] } },
    ])
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return random.pick(schema.enum)
  if (schema.anyOf) return valueFor(random.pick(schema.anyOf), random, depth)
  switch (schema.type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {})
          .filter(() => !random.chance(4))
          .map(([key, inner]) => [key, depth > 5 ? null : valueFor(inner, random, depth + 1)]),
      )
    case 'array':
      return random.list(4, () => (depth > 5 ? null : valueFor(schema.items, random, depth + 1)))
    case 'integer':
    case 'number':
      return random.pick([0, 1, -1, 1e15, 0.5, random.below(1000)])
    case 'boolean':
      return random.chance(2)
    default:
      return random.chance(3)
        ? random.pick(NASTY)
        : random.text(['a', '-', '.', '@', '/', 'example.com', '1'], 8)
  }
}

async function api(): Promise<Target> {
  const server = await startServer({ env: { ALOFT_RATE_LIMIT: '1000000' } })
  const { token } = await server.signUp()
  const rows = listEndpoints().filter(
    ({ on }) => on !== 'GET /v1/changes' && !/registration|login|session/.test(on),
  )
  return {
    name: 'json',
    async once(random) {
      const row = random.pick(rows)
      const path = pathOf(row).replace(
        /:\w+/g,
        () => encodeURIComponent(random.text(['a', '-', '.', '%', '1'], 5).toWellFormed()) || 'x',
      )
      const query = Object.keys((row.query as Schema | undefined)?.properties ?? {})
        .filter(() => random.chance(3))
        .map((key) => `${key}=${encodeURIComponent(random.pick(NASTY).toWellFormed())}`)
      const hasBody = row.body !== undefined && row.body !== 'raw' && methodOf(row) !== 'GET'
      const text = JSON.stringify(valueFor(row.body as Schema | undefined, random))
      const body = hasBody
        ? random.chance(5)
          ? random.mutate(Buffer.from(text)).toString('latin1')
          : text
        : undefined
      const answer = await fetch(`${server.url}${path}${query.length > 0 ? `?${query.join('&')}` : ''}`, {
        method: methodOf(row),
        redirect: 'manual',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body }),
        signal: AbortSignal.timeout(15_000),
      })
      const said = answer.headers.get('content-type')?.includes('event-stream') ? '' : await answer.text()
      assert.ok(
        answer.status < 500 || answer.status === 501 || answer.status === 503,
        `${row.on} ${answer.status} ${said.slice(0, 300)} for ${String(body).slice(0, 500)}`,
      )
    },
    close: () => server.close(),
  }
}

/** By name, so that a run may want one alone: what a target needs is started only for it. */
export const TARGETS: Readonly<Record<string, () => Promise<readonly Target[]>>> = {
  http: listeners,
  dns: async () => [dns()],
  routes: async () => [routes()],
  globs: async () => [globs],
  names: async () => [names],
  pem: async () => [await pem()],
  tars: async () => [tars()],
  zips: async () => [zips],
  json: async () => [await api()],
}
