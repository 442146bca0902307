import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isValidHandleValue } from '@vercel/routing-utils'
import fc from 'fast-check'
import { HANDLES, type Route, UNSUPPORTED_HANDLES } from '../route.ts'
import { compileRoutes, EMPTY_TABLE, restoreRoutes } from './compile-routes.ts'

const messages = (routes: unknown): readonly string[] => {
  const result = compileRoutes(routes)
  return result.ok ? [] : result.errors.map(({ message }) => message)
}

test('absent and empty routes are an empty table', () => {
  for (const routes of [undefined, null, []])
    assert.deepEqual(compileRoutes(routes), { ok: true, table: EMPTY_TABLE })
})

test('a table keeps its routes as they were written, for storing', () => {
  const routes: readonly Route[] = [
    {
      src: '^/a\\/b$',
      dest: '/c?x=$1',
      headers: { 'X-A': 'b' },
      methods: ['GET'],
      continue: true,
      check: false,
    },
    { handle: 'filesystem' },
    { src: '/(?<n>.*)', dest: 'https://example.com/$n', status: 200 },
  ]
  const result = compileRoutes(structuredClone(routes))
  assert.ok(result.ok)
  assert.deepEqual(result.table.routes, routes)
  const restored = restoreRoutes(JSON.parse(JSON.stringify(result.table.routes)))
  assert.deepEqual(restored.routes, routes)
  assert.deepEqual(
    restored.phases.map(({ handle, rules }) => [handle, rules.length]),
    [
      [undefined, 1],
      ['filesystem', 1],
    ],
  )
})

test('the names that redirects and rewrites use are taken for the usual ones', () => {
  const result = compileRoutes([{ source: '/a', destination: '/b', statusCode: 404 }])
  assert.ok(result.ok)
  assert.deepEqual(result.table.routes, [{ src: '/a', dest: '/b', status: 404 }])
})

const REFUSED: readonly (readonly [why: string, routes: unknown, messages: readonly RegExp[]])[] = [
  ['not a list', { src: '/' }, [/^routes must be a list$/]],
  ['too many', Array(1025).fill({ src: '/' }), [/^routes has 1025 entries; at most 1024 are allowed$/]],
  [
    'no object',
    ['/a', null, []],
    [/^routes\[0\] must be an object/, /^routes\[1\] must/, /^routes\[2\] must/],
  ],
  ['no src', [{ dest: '/a' }], [/^routes\[0\]\.src is missing$/]],
  ['src of another type', [{ src: 1 }], [/^routes\[0\]\.src must be a string$/]],
  [
    'an unknown key',
    [{ src: '/', foo: 1 }],
    [/^routes\[0\] has the unknown key "foo"; known are src, dest,/],
  ],
  ['a prototype key', [JSON.parse('{"src":"/","__proto__":{}}')], [/unknown key "__proto__"/]],
  [
    'an unknown key of a handle',
    [{ handle: 'filesystem', src: '/' }],
    [/^routes\[0\] has the unknown key "src"/],
  ],
  [
    'an unknown handle',
    [{ handle: 'files' }],
    [/^routes\[0\]\.handle "files" is unknown; use "filesystem"$/],
  ],
  ['a handle without a value', [{ handle: undefined }], [/^routes\[0\]\.handle undefined is unknown/]],
  ['a handle for later', [{ handle: 'hit' }], [/^routes\[0\]\.handle "hit" is not supported/]],
  [
    'a handle twice',
    [{ handle: 'filesystem' }, { handle: 'filesystem' }],
    [/^routes\[1\]\.handle .* use it once$/],
  ],
  [
    'look-ahead',
    [{ src: '/(?!api).*' }],
    [/^routes\[0\]\.src "\/\(\?!api\)\.\*" cannot be used: look-ahead/],
  ],
  ['a back-reference', [{ src: '/(a)\\1' }], [/^routes\[0\]\.src .* cannot be used: a back-reference/]],
  [
    'a regex the engine refuses',
    [{ src: '/[z-a]' }],
    [/^routes\[0\]\.src cannot be used: invalid character class/],
  ],
  ['dest of another type', [{ src: '/', dest: {} }], [/^routes\[0\]\.dest must be a string$/]],
  ['a bad dest', [{ src: '/', dest: 'ftp://x' }], [/^routes\[0\]\.dest "ftp:\/\/x" cannot be used/]],
  [
    'headers of another type',
    [{ src: '/', headers: [] }],
    [/^routes\[0\]\.headers must be an object of strings$/],
  ],
  ['a bad header', [{ src: '/', headers: { 'a b': '' } }], [/^routes\[0\]\.headers "a b" cannot be used/]],
  ['no methods', [{ src: '/', methods: [] }], [/^routes\[0\]\.methods must be a list of 1 to 32/]],
  [
    'methods in lower case',
    [{ src: '/', methods: ['get', 1] }],
    [/"get" is not a method name in upper/, /methods 1 is/],
  ],
  [
    'status of another type',
    [{ src: '/', status: '200' }],
    [/^routes\[0\]\.status must be a whole number from 200/],
  ],
  [
    'status out of range',
    [
      { src: '/', status: 1000 },
      { src: '/', status: 99 },
    ],
    [/\[0\]\.status/, /\[1\]\.status/],
  ],
  ['an interim status', [{ src: '/', status: 101 }], [/1xx does not end a response/]],
  [
    'a flag of another type',
    [{ src: '/', continue: 1, check: null }],
    [/\.continue must be true/, /\.check must be true/],
  ],
  [
    'continue to another host',
    [{ src: '/', dest: 'https://a.b', continue: true }],
    [/^routes\[0\]\.continue cannot/],
  ],
  ['both names of a field', [{ src: '/', source: '/' }], [/^routes\[0\]\.source means the same as src/]],
]

for (const [why, routes, expected] of REFUSED)
  test(`routes are refused: ${why}`, () => {
    const found = messages(routes)
    assert.equal(found.length, expected.length, found.join('\n'))
    for (const [index, message] of expected.entries()) assert.match(found[index] ?? '', message)
  })

test('an error says where it is', () => {
  const result = compileRoutes([{ src: '/' }, { src: '/', status: 'x' }])
  assert.ok(!result.ok)
  assert.deepEqual(
    result.errors.map(({ index, field }) => [index, field]),
    [[1, 'status']],
  )
})

test('every error is reported, up to a limit', () => {
  const wrong = { a: 1, b: 2 }
  assert.equal(messages([wrong]).length, 3)
  assert.equal(messages(Array(1024).fill(wrong)).length, 100)
})

test('the longest list is fine, and many large regexes are not', () => {
  assert.deepEqual(messages(Array(1024).fill({ src: '/a/(.*)', dest: '/b/$1' })), [])
  const [first] = messages(Array(100).fill({ src: '/(a|b){300}' }))
  assert.match(
    first ?? '',
    /^routes\[\d+\]\.src cannot be used: all patterns of the list together are too complex/,
  )
})

test('nothing that JSON can say makes compiling throw', () => {
  const field = fc.constantFrom(
    'src',
    'dest',
    'headers',
    'methods',
    'status',
    'continue',
    'check',
    'handle',
    'source',
  )
  const value = fc.oneof(fc.jsonValue(), fc.string(), fc.dictionary(fc.string(), fc.string()))
  fc.assert(fc.property(fc.array(fc.dictionary(field, value)), (routes) => void compileRoutes(routes)))
})

test('stored routes that are not valid are an error', () => {
  assert.throws(() => restoreRoutes([{ src: '(' }]), /Stored routes are not valid: routes\[0\]\.src/)
})

test('the known handles are those of the ecosystem', () => {
  for (const handle of [...HANDLES, ...UNSUPPORTED_HANDLES]) assert.ok(isValidHandleValue(handle), handle)
})
