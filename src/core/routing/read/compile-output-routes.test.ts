import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isValidHandleValue } from '@vercel/routing-utils'
import fc from 'fast-check'
import { matchRoutes } from '../match/match-routes.ts'
import { OUTPUT_HANDLES } from '../route.ts'
import {
  compileOutputRoutes,
  compileOutputRoutesInTurns,
  restoreOutputRoutes,
} from './compile-output-routes.ts'

const messages = (routes: unknown): readonly string[] => {
  const result = compileOutputRoutes(routes)
  return result.ok ? [] : result.errors.map(({ message }) => message)
}

test('the handles are those of the ecosystem', () => {
  for (const handle of OUTPUT_HANDLES) assert.ok(isValidHandleValue(handle), handle)
})

test('a table keeps what its routes mean, for storing, and leaves the rest out', () => {
  const result = compileOutputRoutes([
    {
      src: '^/((?!api).*)$',
      dest: '/x?y=$v',
      has: [
        { type: 'host', value: { suf: '.example.com' } },
        { type: 'header', key: 'X-A', value: '(?<v>.*)' },
      ],
      missing: [{ type: 'cookie', key: 'c' }],
      caseSensitive: true,
      override: true,
      middlewareRawSrc: ['/'],
      somethingNew: 1,
    },
    { handle: 'hit' },
    { handle: 'hit' },
    {
      source: '/a',
      destination: '/b',
      statusCode: 200,
      check: true,
      transforms: [],
      locale: { redirect: {} },
    },
  ])
  assert.ok(result.ok)
  const { routes } = result.table
  assert.deepEqual(routes, [
    {
      src: '^/((?!api).*)$',
      dest: '/x?y=$v',
      caseSensitive: true,
      has: [
        { type: 'host', value: { suf: '.example.com' } },
        { type: 'header', key: 'X-A', value: '(?<v>.*)' },
      ],
      missing: [{ type: 'cookie', key: 'c' }],
    },
    { handle: 'hit' },
    { handle: 'hit' },
    { src: '/a', dest: '/b', status: 200, check: true, locale: { redirect: {} }, transforms: [] },
  ])
  const restored = restoreOutputRoutes(JSON.parse(JSON.stringify(routes)))
  assert.deepEqual(restored.routes, routes)
  assert.deepEqual([...(restored.variesOn ?? [])].sort(), ['accept-language', 'cookie', 'x-a'])
  assert.equal(restored.output?.hit.rules.length, 1)
})

const REFUSED: readonly (readonly [why: string, routes: unknown, messages: readonly RegExp[]])[] = [
  ['not a list', {}, [/^routes must be a list$/]],
  ['too many', Array(10_001).fill({ src: '/' }), [/^routes has 10001 entries; at most 10000/]],
  ['no object', ['/a', null], [/^routes\[0\] must be an object/, /^routes\[1\] must/]],
  [
    'an unknown handle',
    [{ handle: 'files' }],
    [/^routes\[0\]\.handle "files" is unknown; use one of filesystem,/],
  ],
  ['no src', [{ dest: '/a' }], [/^routes\[0\]\.src is missing$/]],
  ['a back-reference', [{ src: '/(?!x)(a)\\1' }], [/^routes\[0\]\.src .* cannot be used: a back-reference/]],
  [
    'what only the engines find',
    [{ src: '/[z-a]' }, { src: '/(?!a)*' }, { src: '/', has: [{ type: 'host', value: '(?!a)[z-a]' }] }],
    [
      /\[0\]\.src cannot be used: invalid/,
      /\[1\]\.src cannot be used: a quantifier/,
      /\[2\]\.has cannot be used/,
    ],
  ],
  ['conditions of another type', [{ src: '/', has: {} }], [/^routes\[0\]\.has must be a list of at most 16/]],
  [
    'bad conditions',
    [
      {
        src: '/',
        has: [
          { type: 'host' },
          { type: 'ip', key: 'a' },
          { type: 'header' },
          { type: 'query', key: 'a', value: 1 },
        ],
        missing: [
          { type: 'cookie', key: 'a', value: { like: 'x' } },
          { type: 'cookie', key: 'a', value: { gt: '1' } },
          { type: 'cookie', key: 'a', value: '(' },
        ],
      },
    ],
    [
      /has .* a host needs a value/,
      /has .* type must be/,
      /has .* key must be/,
      /has .* value must be/,
      /missing .* like is not a comparison/,
      /missing .* gt must be a number/,
      /missing .* \( is not closed/,
    ],
  ],
  [
    'a middleware by number',
    [{ src: '/', middleware: 0 }],
    [/\.middleware is not supported; use middlewarePath/],
  ],
  ['a middleware without a path', [{ src: '/', middlewarePath: '' }], [/\.middlewarePath must be a path/]],
  [
    'a middleware after a handle',
    [{ handle: 'filesystem' }, { src: '/', middlewarePath: 'm' }],
    [/^routes\[1\]\.middlewarePath can only be used before the first handle$/],
  ],
  [
    'a bad locale',
    [{ src: '/', locale: { redirect: { en: 'ftp://x' } } }],
    [/\.locale cannot send "en" there/],
  ],
  [
    'bad transforms',
    [
      {
        src: '/',
        transforms: [
          { type: 'request.headers', op: 'swap', target: { key: 'a' } },
          { type: 'request.headers', op: 'set', target: { key: 'content-length' }, args: '1' },
          { type: 'response.headers', op: 'set', target: { key: 'a' }, args: 'x\r\ny' },
        ],
      },
    ],
    [/op must be/, /set by the server/, /args must be/],
  ],
]

for (const [why, routes, expected] of REFUSED)
  test(`routes of an output are refused: ${why}`, () => {
    const found = messages(routes)
    assert.equal(found.length, expected.length, found.join('\n'))
    for (const [index, message] of expected.entries()) assert.match(found[index] ?? '', message)
  })

test('all regexes together have a limit', () => {
  const [first] = messages(Array.from({ length: 1000 }, () => ({ src: '/(a|b){300}' })))
  assert.match(first ?? '', /all patterns of the list together are too complex/)
})

test('a large table is compiled with pauses for others, and with the same result', async () => {
  const routes = Array.from({ length: 30 }, (_, i) => ({ src: `/(?:a|b${i}){100}` }))
  let others = 0
  const look = () => {
    others++
    next = setImmediate(look)
  }
  let next = setImmediate(look)
  const result = await compileOutputRoutesInTurns(routes)
  clearImmediate(next)
  assert.ok(others > 3, `${others}`)
  assert.ok(result.ok)
  assert.deepEqual(result.table.routes, routes)
  assert.deepEqual(
    await compileOutputRoutesInTurns([{ src: '/[z-a]' }]),
    compileOutputRoutes([{ src: '/[z-a]' }]),
  )
})

test('stored routes that are not valid are an error', () => {
  assert.throws(() => restoreOutputRoutes([{ src: '(' }]), /Stored routes are not valid: routes\[0\]\.src/)
})

test('stored routes stay valid where more is counted of their patterns than once was', () => {
  const src = '/([abcdefghijklmnopqrstuvwxyz0123456789]{1,1000})'
  assert.match(messages([{ src }])[0] ?? '', /too complex/)
  const table = restoreOutputRoutes([{ src, status: 308, headers: { location: '/there' } }])
  const site = { find: () => undefined, isBuilt: true }
  const { kind } = matchRoutes(table, { path: '/here', query: '', method: 'GET', host: 'h' }, site)
  assert.equal(kind, 'redirect')
})

test('nothing that JSON can say makes compiling or matching throw', () => {
  const field = fc.constantFrom(
    ...[
      'src',
      'dest',
      'headers',
      'methods',
      'status',
      'continue',
      'check',
      'handle',
      'has',
      'missing',
      'locale',
    ],
    ...['transforms', 'middlewarePath', 'mitigate', 'important', 'caseSensitive'],
  )
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.boolean(),
    fc.constantFrom('/', '/(.*)', '^(?!/a).*$', '/$1', '$0', 'rewrite', 'miss', 'hit', 'error', 404, 307),
    fc.constantFrom({ location: '/$1' }, [{ type: 'host', value: '.*' }], [{ type: 'query', key: 'a' }]),
    fc.array(
      fc.dictionary(
        fc.constantFrom('type', 'key', 'value', 'op', 'target', 'args'),
        fc.jsonValue({ maxDepth: 2 }),
      ),
    ),
  )
  const site = { find: (path: string) => (path === '/a' ? path : undefined), isBuilt: true }
  fc.assert(
    fc.property(fc.array(fc.dictionary(field, value)), (routes) => {
      const result = compileOutputRoutes(routes)
      if (result.ok) matchRoutes(result.table, { path: '/b', query: 'a=1', method: 'GET', host: 'h' }, site)
    }),
    { numRuns: 200 },
  )
})
