import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileOutputRoutes } from '../read/compile-output-routes.ts'
import { EMPTY_TABLE } from '../read/compile-routes.ts'
import type { RouteTable } from '../route-table.ts'
import type { Site } from '../site.ts'
import { decodePath } from '../url/request-path.ts'
import { matchError } from './match-output.ts'
import { matchRoutes } from './match-routes.ts'
import type { RouteOutcome } from './route-outcome.ts'

function table(routes: unknown): RouteTable {
  const result = compileOutputRoutes(routes)
  assert.ok(result.ok, result.ok ? '' : result.errors.map(({ message }) => message).join('\n'))
  return result.table
}

const OUTPUTS = ['/a', '/b', '/index', '/blog/index', '/docs/index.html', '/404.html', '/500.html', '/x/y']
const site: Site<string> = {
  find: (path) => (OUTPUTS.includes(path) ? path : undefined),
  isBuilt: true,
}

/** From `/path?query name:value`, where a host counts as a header. */
function request(text: string) {
  const [target = '', ...headers] = text.split(' ')
  const [rawPath = '', query = ''] = target.split('?')
  const header = (name: string) => headers.find((each) => each.startsWith(`${name}:`))?.slice(name.length + 1)
  return { method: 'GET', path: decodePath(rawPath), query, header }
}

function show(outcome: RouteOutcome<string>): string {
  const headers =
    'headers' in outcome ? [...outcome.headers].map((header) => ` ${header.join(':')}`).sort() : []
  return `${showKind(outcome)}${headers.join('')}`
}

function showKind(outcome: RouteOutcome<string>): string {
  switch (outcome.kind) {
    case 'serve':
      return `${outcome.status ?? 'serve'} ${outcome.foundAt}${outcome.query && `?${outcome.query}`}`
    case 'redirect':
      return `${outcome.status} -> ${outcome.location}`
    case 'empty':
      return `${outcome.status} empty`
    case 'proxy':
      return `proxy ${outcome.url}`
    case 'not-found':
      return `not found ${outcome.path}`
    case 'refused':
      return `refused ${outcome.reason}`
    case 'listing':
      return `listing ${outcome.path}`
    case 'middleware':
      return `middleware ${outcome.middlewarePath}`
  }
}

const run = (routes: unknown, text: string): string => show(matchRoutes(table(routes), request(text), site))

const handle = (name: string) => ({ handle: name })
const when = (...has: unknown[]) => [
  { src: '/.*', has, dest: '/a?v=$v' },
  { src: '/.*', dest: '/b' },
]
const HIT = 'serve /a?v='
const MISS = 'serve /b'

const DOMAINS = {
  redirect: { en: 'https://example.com/', fr: 'https://example.fr', 'fr-BE': 'https://example.fr/be' },
}

const CASES: readonly (readonly [why: string, routes: unknown, request: string, outcome: string])[] = [
  ['without routes: the exact output', [], '/a', 'serve /a'],
  ['without routes: the index of the root', [], '/', 'serve /index'],
  ['without routes: the index of a folder', [], '/blog', 'serve /blog/index'],
  ['without routes: the index file of a folder', [], '/docs/', 'serve /docs/index.html'],
  ['without routes: an output with a slash after it', [], '/a/', 'serve /a'],
  ['without routes: 404', [], '/none', 'not found /none'],

  ['a path as it stands in a URL', [{ src: '^/caf%C3%A9/(.*)$', dest: '/$1' }], '/caf%C3%A9/a', 'serve /a'],
  ['a path as people read it', [{ src: '^/caf\u00e9/(.*)$', dest: '/$1' }], '/caf%C3%A9/a', 'serve /a'],
  ['case does not matter', [{ src: '/X', dest: '/a' }], '/x', 'serve /a'],
  ['unless it shall', [{ src: '/X', dest: '/a', caseSensitive: true }], '/x', 'not found /x'],
  ['then only the same matches', [{ src: '/X', dest: '/a', caseSensitive: true }], '/X', 'serve /a'],
  ['also in a wildcard', [{ src: '/X/(.*)', dest: '/$1', caseSensitive: true }], '/x/a', 'not found /x/a'],
  ['$0 is the whole path', [{ src: '/z(.*)', dest: '/a?p=$0' }], '/zz', 'serve /a?p=%2Fzz'],
  ['a denied request', [{ src: '/a', mitigate: { action: 'deny' } }], '/a', '403 empty'],

  ['has a header', when({ type: 'header', key: 'X-A' }), '/z x-a:', HIT],
  ['has no such header', when({ type: 'header', key: 'X-A' }), '/z x-b:1', MISS],
  [
    'has a value that a regex matches',
    when({ type: 'header', key: 'x-a', value: '(?<v>\\d+)' }),
    '/z x-a:12',
    `${HIT}12`,
  ],
  [
    'has a value that it matches in part',
    when({ type: 'header', key: 'x-a', value: '\\d+' }),
    '/z x-a:12b',
    MISS,
  ],
  ['has a value in another case', when({ type: 'header', key: 'x-a', value: 'yes' }), '/z x-a:Yes', MISS],
  [
    'has a value that looks ahead',
    when({ type: 'header', key: 'x-a', value: '(?<v>(?!no).*)' }),
    '/z x-a:yes',
    `${HIT}yes`,
  ],
  ['has a path as value', when({ type: 'header', key: 'x-a', value: 'a/b' }), '/z x-a:a/b', HIT],
  [
    'has a query',
    when({ type: 'query', key: 'q', value: '(?<v>.*)' }),
    '/z?q=a%20b',
    `serve /a?q=a%20b&v=a%20b`,
  ],
  ['has a query without a value', when({ type: 'query', key: 'q' }), '/z?q', 'serve /a?q&v='],
  [
    'has a cookie',
    when({ type: 'cookie', key: 'c', value: '(?<v>.*)' }),
    '/z cookie:b=1;c=a%2Fb;c=2',
    `${HIT}a%2Fb`,
  ],
  ['has no cookies', when({ type: 'cookie', key: 'c' }), '/z', MISS],
  [
    'has a host',
    when({ type: 'host', value: '(?<v>.*)\\.example\\.com' }),
    '/z host:me.example.com:80',
    `${HIT}me`,
  ],
  [
    'has a captured name that src has too',
    [{ src: '/(?<v>.*)', has: [{ type: 'header', key: 'h', value: '(?<v>.*)' }], dest: '/a?v=$v' }],
    '/src h:has',
    `${HIT}src`,
  ],
  ['has all', when({ type: 'header', key: 'a' }, { type: 'header', key: 'b' }), '/z a:1', MISS],
  ['has a value equal to', when({ type: 'header', key: 'n', value: { eq: 5 } }), '/z n:5', HIT],
  ['has a value not equal to', when({ type: 'header', key: 'n', value: { neq: '5' } }), '/z n:5', MISS],
  ['has a value in a list', when({ type: 'header', key: 'n', value: { inc: ['4', '5'] } }), '/z n:5', HIT],
  [
    'has a value not in a list',
    when({ type: 'header', key: 'n', value: { ninc: ['4', '5'] } }),
    '/z n:5',
    MISS,
  ],
  [
    'has a value that begins and ends',
    when({ type: 'header', key: 'n', value: { pre: 'a', suf: 'z' } }),
    '/z n:abz',
    HIT,
  ],
  [
    'has a value that only begins',
    when({ type: 'header', key: 'n', value: { pre: 'a', suf: 'z' } }),
    '/z n:ab',
    MISS,
  ],
  ['has a value by regex', when({ type: 'header', key: 'n', value: { re: '[a-c]+' } }), '/z n:abc', HIT],
  ['has a number between', when({ type: 'header', key: 'n', value: { gt: 4, lte: 5 } }), '/z n:5', HIT],
  ['has a number at the end', when({ type: 'header', key: 'n', value: { gte: 4, lt: 5 } }), '/z n:5', MISS],
  ['has no number', when({ type: 'header', key: 'n', value: { gte: 0 } }), '/z n:', MISS],
  ['is missing', [{ src: '/z', missing: [{ type: 'header', key: 'h' }], dest: '/a' }], '/z', 'serve /a'],
  [
    'is not missing',
    [{ src: '/z', missing: [{ type: 'header', key: 'h' }], dest: '/a' }],
    '/z h:1',
    'not found /z',
  ],

  [
    'a redirect ends the routes',
    [
      { src: '/z', headers: { location: '/l' }, status: 308, continue: true },
      { src: '/z', dest: '/a' },
    ],
    '/z',
    '308 -> /l',
  ],
  [
    'a redirect keeps the query',
    [{ src: '/z', headers: { location: '/l?a=1#f' }, status: 308 }],
    '/z?a=2&b=3',
    '308 -> /l?b=3&a=1#f',
  ],
  [
    'a redirect to a dest keeps the query',
    [{ src: '/z', dest: '/l', status: 308 }],
    '/z?b=3',
    '308 -> /l?b=3',
  ],
  [
    'a dest elsewhere ends the routes',
    [
      { src: '/z', dest: 'https://example.com/z', continue: true },
      { src: '/z', dest: '/a' },
    ],
    '/z',
    'proxy https://example.com/z',
  ],
  [
    'a language by the cookie',
    [{ src: '/', locale: { redirect: { en: '/', fr: '/fr', de: '/de' }, cookie: 'L' }, continue: true }],
    '/ cookie:L=fr accept-language:de',
    '307 -> /fr',
  ],
  [
    'a language by the browser',
    [{ src: '/', locale: { redirect: { en: '/', fr: '/fr', de: '/de' } }, continue: true }],
    '/ accept-language:it,fr;Q=0.5,de-AT;q=0.8',
    '307 -> /de',
  ],
  [
    'a language that is here',
    [{ src: '/', locale: { redirect: { en: '/', fr: '/fr' } }, continue: true }],
    '/ accept-language:en',
    'serve /index',
  ],

  [
    'a language that is at this path, however that is written',
    [
      { src: '/b%20c', locale: { redirect: { en: '/b%20c' } }, continue: true },
      { src: '/b.c', dest: '/b' },
    ],
    '/b%20c accept-language:en',
    'serve /b',
  ],
  [
    'a language that is at this path, which a rule has changed',
    [
      { src: '/b', dest: '/fr/b', continue: true },
      { src: '/fr/b', locale: { redirect: { fr: '/b' } }, continue: true },
      { src: '/fr/b', dest: '/b' },
    ],
    '/b accept-language:fr',
    'serve /b',
  ],
  [
    'a language that is at this host',
    [{ src: '/', locale: DOMAINS, continue: true }],
    '/ host:example.fr accept-language:fr',
    'serve /index',
  ],
  [
    'a language that is at another host',
    [{ src: '/', locale: DOMAINS, continue: true }],
    '/?a=b host:example.fr accept-language:en',
    '307 -> https://example.com/?a=b',
  ],
  [
    'a language elsewhere at this host',
    [{ src: '/', locale: DOMAINS, continue: true }],
    '/ host:example.fr accept-language:fr-BE',
    '307 -> https://example.fr/be',
  ],
  [
    'the query goes along to a language',
    [{ src: '/', locale: { redirect: { fr: '/fr?l=fr#top' } }, continue: true }],
    '/?utm=1&l=en accept-language:fr',
    '307 -> /fr?utm=1&l=fr#top',
  ],

  ['filesystem: outputs come first', [handle('filesystem'), { src: '/.*', dest: '/b' }], '/a', 'serve /a'],
  ['filesystem: then its rules', [handle('filesystem'), { src: '/.*', dest: '/b' }], '/z', 'serve /b'],
  [
    'rewrite: after filesystem',
    [handle('rewrite'), { src: '/z', dest: '/a' }, handle('filesystem'), { src: '/z', dest: '/b' }],
    '/z',
    'serve /b',
  ],
  ['rewrite: without other rules', [handle('rewrite'), { src: '/z', dest: '/a' }], '/z', 'serve /a'],
  [
    'rewrite: after a checked rewrite',
    [
      handle('filesystem'),
      { src: '/y', dest: '/z', check: true },
      { src: '/.*', dest: '/b' },
      handle('rewrite'),
      { src: '/z', dest: '/a' },
    ],
    '/y',
    'serve /a',
  ],
  [
    'rewrite: not after one that is final',
    [handle('filesystem'), { src: '/y', dest: '/z' }, handle('rewrite'), { src: '/z', dest: '/a' }],
    '/y',
    'not found /y',
  ],
  [
    'rewrite: what it tried without success is forgotten',
    [
      handle('rewrite'),
      { src: '/z', dest: '/q?w=1', headers: { h: '1' }, continue: true },
      handle('resource'),
      { src: '/z', dest: '/a' },
    ],
    '/z',
    'serve /a',
  ],
  [
    'rewrite: a path that is there in the end',
    [handle('rewrite'), { src: '/z', dest: '/a', continue: true }],
    '/z',
    'serve /a',
  ],
  [
    'resource: last',
    [handle('resource'), { src: '/z', dest: '/a' }, handle('rewrite'), { src: '/z', dest: '/b' }],
    '/z',
    'serve /b',
  ],
  [
    'miss: before filesystem',
    [handle('filesystem'), { src: '/z', dest: '/b' }, handle('miss'), { src: '/z', dest: '/a', check: true }],
    '/z',
    'serve /a',
  ],
  ['miss: not for what is there', [handle('miss'), { src: '/.*', dest: '/b' }], '/a', 'serve /a'],
  [
    'miss: its status is for what it finds instead',
    [handle('miss'), { src: '/z', dest: '/a', check: true, status: 404 }],
    '/z',
    '404 /a',
  ],
  [
    'miss: what is not there under another path either keeps its own',
    [
      handle('miss'),
      { src: '/en/(.*)', dest: '/$1?gone=1', check: true },
      handle('rewrite'),
      { src: '/en/y', dest: '/b' },
      { src: '/y', dest: '/a' },
    ],
    '/en/y?q=1',
    'serve /b?q=1',
  ],
  [
    'miss: each of its rules looks for the path that is missing',
    [
      handle('miss'),
      { src: '/z', dest: '/none', check: true },
      { src: '/none', dest: '/b', check: true },
      { src: '/z', dest: '/a', check: true },
    ],
    '/z',
    'serve /a',
  ],
  [
    'miss: an error',
    [
      handle('miss'),
      { src: '/z', dest: '$0', check: true, status: 410 },
      handle('rewrite'),
      { src: '/z', dest: '/a' },
    ],
    '/z',
    '410 empty',
  ],
  [
    'miss: headers do not replace others',
    [
      { src: '/.*', headers: { h: '1' }, continue: true },
      handle('miss'),
      { src: '/z', dest: '/a', headers: { h: '2', i: '2' } },
    ],
    '/z',
    'serve /a h:1 i:2',
  ],
  [
    'miss: after a final rewrite',
    [{ src: '/y', dest: '/z' }, handle('miss'), { src: '/z', dest: '/a', check: true }],
    '/y',
    'serve /a',
  ],
  [
    'hit: headers for what was found',
    [handle('hit'), { src: '/(.*)', headers: { at: '/$1' }, continue: true }],
    '/blog',
    'serve /blog/index at:/blog/index',
  ],
  [
    'hit: headers do not replace others',
    [
      { src: '/.*', headers: { h: '1', i: '1' }, continue: true },
      handle('hit'),
      { src: '/a', headers: { h: '2' }, continue: true },
      { src: '/a', headers: { i: '2' }, important: true },
    ],
    '/a',
    'serve /a h:1 i:2',
  ],
  [
    'hit: not for what is missing',
    [handle('hit'), { src: '/.*', headers: { h: '1' } }],
    '/z',
    'not found /z',
  ],
  [
    'error: a page for 404',
    [handle('error'), { src: '/.*', status: 404, dest: '/404.html' }],
    '/z',
    '404 /404.html',
  ],
  [
    'error: only where it matches',
    [handle('error'), { src: '^(?!/api).*$', status: 404, dest: '/404.html' }],
    '/api/z',
    'not found /api/z',
  ],
  [
    'error: by the path that was asked for',
    [
      { src: '/api/z', dest: '/z', continue: true },
      handle('error'),
      { src: '^(?!/api).*$', status: 404, dest: '/404.html' },
    ],
    '/api/z',
    'not found /api/z',
  ],
  [
    'error: for a status of a rule',
    [{ src: '/z', status: 500 }, handle('error'), { src: '/.*', status: 500, dest: '/500.html' }],
    '/z',
    '500 /500.html',
  ],
  [
    'error: whose page is missing',
    [{ src: '/z', status: 500 }, handle('error'), { src: '/.*', status: 500, dest: '/none' }],
    '/z',
    '500 empty',
  ],
  [
    'error: for a status that was set before',
    [{ src: '/z', status: 410, continue: true }, handle('error'), { src: '/.*', dest: '/404.html' }],
    '/z',
    '410 /404.html',
  ],
  [
    'the query can be transformed',
    [
      {
        src: '/a',
        transforms: [
          { type: 'request.query', op: 'set', target: { key: 'q' }, args: 'x y' },
          { type: 'request.query', op: 'append', target: { key: 'q' }, args: '$0' },
          { type: 'request.query', op: 'delete', target: { key: 'r' } },
        ],
      },
    ],
    '/a?q=1&r=2',
    'serve /a?q=x+y&q=%2Fa',
  ],
]

for (const [why, routes, text, outcome] of CASES) test(why, () => assert.equal(run(routes, text), outcome))

test('headers are transformed by whoever sends them', () => {
  const outcome = matchRoutes(
    table([
      {
        src: '/p/(.*)',
        dest: 'https://example.com/$1',
        transforms: [
          { type: 'request.headers', op: 'set', target: { key: 'X-A' }, args: ['$1', 'two'] },
          { type: 'response.headers', op: 'delete', target: { key: { eq: 'Server' } } },
          { type: 'request.headers', op: 'set', target: { key: { pre: 'x-' } }, args: 'left out' },
        ],
      },
    ]),
    request('/p/q'),
    site,
  )
  assert.ok(outcome.kind === 'proxy')
  assert.deepEqual(outcome.transforms, [
    { of: 'request', op: 'set', name: 'x-a', value: 'q' },
    { of: 'request', op: 'append', name: 'x-a', value: 'two' },
    { of: 'response', op: 'delete', name: 'server', value: '' },
  ])
})

const GUARDED = [
  { src: '/z/(.*)', dest: '/$1?from=z', headers: { before: '1' }, continue: true },
  { src: '/.*', middlewarePath: 'mw', continue: true },
  { src: '/.*', middlewarePath: '/mw', continue: true },
  { src: '/.*', has: [{ type: 'header', key: 'user' }], headers: { after: '1' }, continue: true },
]

test('a middleware is asked once, with the path and query so far', () => {
  const outcome = matchRoutes(table(GUARDED), request('/z/a?q=1'), site)
  assert.ok(outcome.kind === 'middleware')
  assert.deepEqual([outcome.middlewarePath, outcome.path, outcome.query], ['/mw', '/a', 'q=1&from=z'])
  assert.equal(show(outcome.resume({})), 'serve /a?q=1&from=z before:1')
})

test('a middleware can change the path, the headers and what later rules see, each time anew', () => {
  const outcome = matchRoutes(table(GUARDED), request('/z/a?q=1 host:me.org'), site)
  assert.ok(outcome.kind === 'middleware')
  const { resume } = outcome
  assert.equal(show(resume({ rewrite: '/b?x=%20' })), 'serve /b?x=%20 before:1')
  assert.equal(show(resume({ rewrite: 'https://me.org/x/%79' })), 'serve /x/y before:1')
  assert.equal(show(resume({ rewrite: 'http://example.com/?a#b' })), 'proxy http://example.com/?a before:1')
  assert.equal(show(resume({ rewrite: '//example.com' })), 'proxy http://example.com/ before:1')
  assert.equal(show(resume({ rewrite: 'file:///etc/passwd' })), 'refused unsafe')
  assert.equal(
    show(resume({ headers: new Map([['h', 'mw']]), header: (name) => (name === 'user' ? 'me' : undefined) })),
    'serve /a?q=1&from=z after:1 before:1 h:mw',
  )
  assert.equal(show(resume({})), 'serve /a?q=1&from=z before:1')
})

test('an error that comes up later has its page too', () => {
  const routes = table([handle('error'), { src: '/.*', status: 500, dest: '/500.html', headers: { e: '1' } }])
  assert.equal(show(matchError(routes, request('/a?q'), 500, site)), '500 /500.html?q e:1')
  assert.equal(show(matchError(routes, request('/a'), 404, site)), 'not found /a')
  assert.equal(show(matchError(routes, request('/a'), 502, site)), '502 empty')
  assert.equal(show(matchError(EMPTY_TABLE, request('/a'), 500, site)), '500 empty')
})

test('a folder without an index is listed where that is allowed', () => {
  const listed = { ...site, hasListing: (path: string) => path === '/img' }
  assert.equal(show(matchRoutes(table([]), request('/img'), listed)), 'listing /img')
})

test('rules that lead to each other come to an end', () => {
  const loop = [
    ...[handle('filesystem'), { src: '/y', dest: '/z', check: true }, { src: '/z', dest: '/y', check: true }],
    ...[handle('rewrite'), { src: '/z', dest: '/y', check: true }, { src: '/y', dest: '/z', check: true }],
    ...[handle('miss'), { src: '/y', dest: '/z', check: true }, { src: '/z', dest: '/y', check: true }],
    ...[handle('error'), { src: '/.*', dest: '/y', check: true }],
  ]
  assert.equal(run(loop, '/y'), 'not found /y')
})

test('a table that takes long to compile is compiled by several tries', () => {
  const rules = Array.from({ length: 50 }, (_, i) => ({
    src: `/?(?:[a-y]z{1,500}){2}x{${i + 1}}`,
    dest: '/none',
  }))
  assert.equal(run(rules, '/b'), 'refused not-compiled')
  assert.equal(run(rules, '/b'), 'serve /b')
})

test('a table that works too hard for one request is refused', { timeout: 30_000 }, () => {
  const rules = (count: number) =>
    Array.from({ length: count }, () => ({ src: '/.*', dest: '/none', check: true }))
  assert.equal(
    run([handle('filesystem'), ...rules(4000), handle('rewrite'), ...rules(4000)], '/z'),
    'refused too-costly',
  )
})

/** As long as a query can be, with as many keys. */
const LONG_QUERY = 'a=&'.repeat(10_000)

test('a query is read once, however many conditions look at it', (t) => {
  let reads = 0
  const Original = globalThis.URLSearchParams
  class Counted extends Original {
    constructor(query?: string) {
      super(query)
      reads++
    }
  }
  globalThis.URLSearchParams = Counted as typeof URLSearchParams
  t.after(() => {
    globalThis.URLSearchParams = Original
  })
  const missing = Array.from({ length: 16 }, (_, n) => ({ type: 'query', key: `k${n}` }))
  const rules = Array.from({ length: 50 }, () => ({ src: '/.*', missing, continue: true }))
  const hit = { src: '/.*', has: [{ type: 'query', key: 'z', value: '1' }], dest: '/b' }
  assert.match(run([...rules, hit], `/a?${LONG_QUERY}z=1&z=2`), /^serve \/b/)
  assert.equal(reads, 1)
  // Where rules change it, it is another one.
  const changed = [{ src: '/.*', dest: '/x?z=1', continue: true }, hit]
  assert.equal(run(changed, '/a?z=2'), 'serve /b?z=1')
})

test('so are the languages of a visitor', () => {
  let reads = 0
  const header = (name: string) => {
    if (name === 'accept-language') reads++
    return name === 'accept-language' ? `fr${';'.repeat(10_000)}, de` : undefined
  }
  const rules = Array.from({ length: 100 }, () => ({
    ...{ src: '/.*', continue: true },
    locale: { redirect: { en: '/en' } },
  }))
  const last = { src: '/.*', locale: { redirect: { de: '/de' } } }
  const outcome = matchRoutes(table([...rules, last]), { ...request('/a'), header }, site)
  assert.equal(show(outcome), '307 -> /de')
  assert.equal(reads, 1)
})

test('a table that changes a long query too often is refused', () => {
  const change = { type: 'request.query', op: 'delete', target: { key: 'b' } }
  const rule = { src: '/.*', transforms: Array(100).fill(change), continue: true }
  assert.equal(run([rule, { src: '/.*', dest: '/a' }], `/z?${LONG_QUERY}c=2`), 'refused too-costly')
  assert.equal(run([rule, { src: '/.*', dest: '/a' }], '/z?b=1&c=2'), 'serve /a?c=2')
})

test('so is one that looks at long values very often', () => {
  const has = [{ type: 'header', key: 'x-long', value: 'no.*' }]
  const rules = Array.from({ length: 9000 }, () => ({ src: '/.*', has, dest: '/b' }))
  assert.equal(
    run([...rules, { src: '/.*', dest: '/a' }], `/z x-long:${'x'.repeat(30_000)}`),
    'refused too-costly',
  )
  assert.equal(run([...rules, { src: '/.*', dest: '/a' }], `/z x-long:${'x'.repeat(300)}`), 'serve /a')
})
