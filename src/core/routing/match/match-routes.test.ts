import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getTransformedRoutes } from '@vercel/routing-utils'
import fc from 'fast-check'
import { compileRoutes, EMPTY_TABLE, restoreRoutes } from '../read/compile-routes.ts'
import type { RouteTable } from '../route-table.ts'
import type { Site } from '../site.ts'
import { decodePath } from '../url/request-path.ts'
import { matchRoutes } from './match-routes.ts'
import type { RouteOutcome } from './route-outcome.ts'

/** Any UTF-16 text, halves of surrogate pairs included, with what matters in paths and headers more often. */
const anyText = fc
  .array(
    fc.oneof(
      fc.constantFrom(...'/\\?#&=%.:@ \r\n\t\0"', '%2F', '%0D', 'é', 'a'),
      fc.nat(0xffff).map((unit) => String.fromCharCode(unit)),
    ),
  )
  .map((parts) => parts.join(''))

function table(routes: unknown): RouteTable {
  const result = compileRoutes(routes)
  assert.ok(result.ok, result.ok ? '' : result.errors.map(({ message }) => message).join('\n'))
  return result.table
}

const siteOf = (files: readonly string[], folders: readonly string[] = []): Site<string> => ({
  find: (path) => (files.includes(path) ? path : undefined),
  hasListing: (path) => folders.includes(path),
})

const FILES = [
  '/index.html',
  '/about.html',
  '/docs/index.html',
  '/404.html',
  '/api/user.js',
  '/a',
  '/b',
  '/c',
]

/** An outcome as one line: what it is, then the headers. */
function show(outcome: RouteOutcome<string>): string {
  const headers = 'headers' in outcome ? [...outcome.headers].map(([name, value]) => ` ${name}:${value}`) : []
  return `${showKind(outcome)}${headers.sort().join('')}`
}

function showKind(outcome: RouteOutcome<string>): string {
  switch (outcome.kind) {
    case 'serve':
      return `${outcome.status ?? 'serve'} ${outcome.target}${outcome.query && `?${outcome.query}`}`
    case 'redirect':
      return `${outcome.status} -> ${outcome.location}`
    case 'empty':
      return `${outcome.status} empty`
    case 'proxy':
      return `${outcome.status ?? 'proxy'} => ${outcome.url}`
    case 'listing':
      return `listing ${outcome.path}`
    case 'not-found':
      return `not found ${outcome.path}`
    case 'refused':
      return `refused ${outcome.reason}`
    case 'middleware':
      return `middleware ${outcome.middlewarePath}`
  }
}

function run(routes: unknown, request: string, site: Site<string> = siteOf(FILES)): string {
  const [method = '', target = ''] = request.includes(' ') ? request.split(' ') : ['GET', request]
  const [rawPath = '', query = ''] = target.split('?')
  return show(matchRoutes(table(routes), { method, path: decodePath(rawPath), query }, site))
}

const FILESYSTEM = { handle: 'filesystem' }

const CASES: readonly (readonly [why: string, routes: unknown, request: string, outcome: string])[] = [
  ['without routes: the exact file', [], '/about.html', 'serve /about.html'],
  ['without routes: the index of the root', [], '/', 'serve /index.html'],
  ['without routes: the index of a folder', [], '/docs', 'serve /docs/index.html'],
  ['without routes: the index of a folder with a slash', [], '/docs/?x=1', 'serve /docs/index.html?x=1'],
  ['without routes: 404', [], '/missing', 'not found /missing'],
  ['file names have a case', [], '/About.html', 'not found /About.html'],

  ['src is anchored at the start', [{ src: '/x', dest: '/a' }], '/y/x', 'not found /y/x'],
  ['src is anchored at the end', [{ src: '/x', dest: '/a' }], '/x/y', 'not found /x/y'],
  ['src ignores case', [{ src: '/X(y)', dest: '/a' }], '/xY', 'serve /a'],
  ['src with an escaped slash', [{ src: '\\/x\\/(.*)', dest: '/$1' }], '/x/a', 'serve /a'],
  ['src sees the decoded path', [{ src: '/caf\u00e9', dest: '/a' }], '/caf%C3%A9', 'serve /a'],
  ['src does not see an escaped slash as one', [{ src: '/x/y', dest: '/a' }], '/x%2Fy', 'not found /x%2Fy'],
  ['src cannot be avoided by escapes', [{ src: '/admin/.*', status: 403 }], '//%61dmin/./x%0a', '403 empty'],
  [
    'the first match wins',
    [
      { src: '/.*', dest: '/a' },
      { src: '/x', dest: '/b' },
    ],
    '/x',
    'serve /a',
  ],
  [
    'routes that do not match are passed',
    [
      { src: '/y', dest: '/a' },
      { src: '/x', dest: '/b' },
    ],
    '/x',
    'serve /b',
  ],
  ['routes come before files', [{ src: '/a', dest: '/b' }], '/a', 'serve /b'],
  ['and files after routes', [{ src: '/x', dest: '/b' }], '/a', 'serve /a'],

  ['dest with numbered groups', [{ src: '/(.)(.)', dest: '/$2' }], '/ab', 'serve /b'],
  ['dest with a named group', [{ src: '/x/(?<file>.*)', dest: '/$file' }], '/x/a', 'serve /a'],
  ['dest with a missing group', [{ src: '/x(y)?', dest: '/a$1$7$nobody' }], '/x', 'serve /a'],
  ['dest that is a folder', [{ src: '/x', dest: '/docs' }], '/x', 'serve /docs/index.html'],
  ['dest that is missing is 404', [{ src: '/a', dest: '/missing' }], '/a', 'not found /missing'],
  [
    'dest with a query, merged over',
    [{ src: '/u/(.*)', dest: '/api/user.js?id=$1&b=2' }],
    '/u/7?b=1&c=3',
    'serve /api/user.js?c=3&id=7&b=2',
  ],
  ['dest keeps the query', [{ src: '/x', dest: '/a' }], '/x?q=%20+', 'serve /a?q=%20+'],
  [
    'dest elsewhere is a proxy',
    [{ src: '/p/(.*)', dest: 'https://example.com/v1/$1?k=1' }],
    '/p/a%20b?q=2',
    'proxy => https://example.com/v1/a%20b?q=2&k=1',
  ],
  [
    'dest elsewhere with raw bytes in the query',
    [{ src: '/p', dest: 'https://example.com' }],
    '/p?q=\xc3\xa9',
    'proxy => https://example.com?q=%C3%A9',
  ],
  [
    'dest elsewhere with a status',
    [{ src: '/p', dest: 'https://example.com', status: 418 }],
    '/p',
    '418 => https://example.com',
  ],
  [
    'dest elsewhere with 3xx is a redirect',
    [{ src: '/p', dest: 'https://example.com/#x', status: 302 }],
    '/p?a=1',
    '302 -> https://example.com/?a=1#x',
  ],
  [
    'dest on the site with 3xx is a redirect',
    [{ src: '/x/(.*)', dest: '/$1', status: 301 }],
    '/x/%C3%A9?a=1',
    '301 -> /%C3%A9?a=1',
  ],
  ['dest out of its place is refused', [{ src: '/x(.*)', dest: '/pub/$1' }], '/x../a', 'refused unsafe'],

  ['headers take groups', [{ src: '/(.*)', headers: { 'X-Name': 'n-$1' } }], '/a', 'serve /a x-name:n-a'],
  [
    'headers cannot be split',
    [{ src: '/(.*)', headers: { 'X-Name': '$1' }, status: 204 }],
    '/a%0D%0AX-Evil:%201',
    '204 empty x-name:a%0D%0AX-Evil:%201',
  ],
  [
    'headers add up, the last one wins',
    [
      { src: '/.*', headers: { A: '1', B: '1' }, continue: true },
      { src: '/a', headers: { b: '2', C: '2' } },
    ],
    '/a',
    'serve /a a:1 b:2 c:2',
  ],
  [
    'headers of routes that do not match do not count',
    [{ src: '/y', headers: { A: '1' }, continue: true }],
    '/a',
    'serve /a',
  ],
  [
    'headers stay with a 404',
    [{ src: '/.*', headers: { A: '1' }, continue: true }],
    '/missing',
    'not found /missing a:1',
  ],

  ['methods that are listed', [{ src: '/x', methods: ['POST', 'PUT'], dest: '/a' }], 'PUT /x', 'serve /a'],
  [
    'methods that are not skip',
    [
      { src: '/x', methods: ['POST'], dest: '/a' },
      { src: '/x', dest: '/b' },
    ],
    'GET /x',
    'serve /b',
  ],

  ['status alone is an empty body', [{ src: '/x', status: 410 }], '/x', '410 empty'],
  [
    'status with location is a redirect',
    [{ src: '/old/(.*)', headers: { Location: '/new/$1', 'X-A': 'b' }, status: 308 }],
    '/old/p%20q?a=1',
    '308 -> /new/p%20q x-a:b',
  ],
  [
    'location may come from an earlier route',
    [
      { src: '/.*', headers: { location: '/l' }, continue: true },
      { src: '/x', status: 307 },
    ],
    '/x',
    '307 -> /l',
  ],
  [
    'status and location may come from earlier routes',
    [{ src: '/x', headers: { location: '/l' }, status: 307, continue: true }],
    '/x',
    '307 -> /l',
  ],
  [
    'location wins over dest in a redirect',
    [{ src: '/x', headers: { location: '/l' }, status: 307, dest: '/a' }],
    '/x',
    '307 -> /l',
  ],
  [
    'location cannot become another host',
    [{ src: '/x(.*)', headers: { location: '/$1' }, status: 307 }],
    '/x/evil.org',
    '307 -> /evil.org',
  ],
  [
    'status with dest serves the file with it',
    [{ src: '/.*', dest: '/404.html', status: 404 }],
    '/x',
    '404 /404.html',
  ],
  [
    'status with a dest that is missing: 404',
    [{ src: '/.*', dest: '/none', status: 404 }],
    '/x',
    'not found /none',
  ],
  [
    'status with a dest that is missing: another error',
    [{ src: '/.*', dest: '/none', status: 503 }],
    '/x',
    '503 empty',
  ],
  [
    'status with a dest that is missing: never a success',
    [{ src: '/.*', dest: '/none', status: 200 }],
    '/x',
    'not found /none',
  ],

  [
    'continue keeps the rewritten path',
    [
      { src: '/x/(.*)', dest: '/y/$1', continue: true },
      { src: '/y/(.*)', dest: '/$1' },
    ],
    '/x/a',
    'serve /a',
  ],
  [
    'continue to the end serves the rewritten path',
    [{ src: '/x/(.*)', dest: '/$1', continue: true }],
    '/x/a',
    'serve /a',
  ],
  [
    'continue keeps the merged query',
    [
      { src: '/x', dest: '/y?a=1', continue: true },
      { src: '/y', dest: '/a?b=2' },
    ],
    '/x?c=3',
    'serve /a?c=3&a=1&b=2',
  ],
  ['continue keeps the status', [{ src: '/a', status: 201, continue: true }], '/a', '201 /a'],
  [
    'continue goes on after this route, not before',
    [
      { src: '/y', dest: '/b' },
      { src: '/x', dest: '/y', continue: true },
    ],
    '/x',
    'not found /y',
  ],
  [
    'continue wins over check',
    [
      { src: '/x', dest: '/a', continue: true, check: true },
      { src: '/a', dest: '/b' },
    ],
    '/x',
    'serve /b',
  ],

  [
    'check with a dest that exists',
    [
      { src: '/x', dest: '/a', check: true },
      { src: '/.*', dest: '/b' },
    ],
    '/x',
    'serve /a',
  ],
  [
    'check with a folder that has an index',
    [{ src: '/x', dest: '/docs', check: true }],
    '/x',
    'serve /docs/index.html',
  ],
  [
    'check without the dest goes on, rewritten and with headers',
    [
      { src: '/x', dest: '/y', check: true, headers: { A: '1' } },
      { src: '/y', dest: '/b' },
    ],
    '/x',
    'serve /b a:1',
  ],
  [
    'check does not keep from another host',
    [{ src: '/x', dest: 'https://example.com/x', check: true }],
    '/x',
    'proxy => https://example.com/x',
  ],
  [
    'check without a dest is about the path itself',
    [
      { src: '/.*', check: true },
      { src: '/.*', dest: '/b' },
    ],
    '/a',
    'serve /a',
  ],

  ['filesystem serves the file', [FILESYSTEM, { src: '/.*', dest: '/b' }], '/a', 'serve /a'],
  [
    'filesystem serves the index',
    [FILESYSTEM, { src: '/.*', dest: '/b' }],
    '/docs',
    'serve /docs/index.html',
  ],
  ['filesystem goes on without a file', [FILESYSTEM, { src: '/.*', dest: '/b' }], '/x', 'serve /b'],
  ['filesystem comes after the routes before it', [{ src: '/a', dest: '/b' }, FILESYSTEM], '/a', 'serve /b'],
  [
    'filesystem sees the rewritten path and the headers',
    [{ src: '/x', dest: '/a', continue: true, headers: { A: '1' } }, FILESYSTEM, { src: '/.*', dest: '/b' }],
    '/x',
    'serve /a a:1',
  ],
  [
    'a rewritten path is looked up at the end',
    [FILESYSTEM, { src: '/x', dest: '/a', continue: true }],
    '/x',
    'serve /a',
  ],
  [
    'a route that only sets headers ends its phase',
    [{ src: '/.*', headers: { A: '1' } }, { src: '/x', dest: '/a' }, FILESYSTEM, { src: '/x', dest: '/b' }],
    '/x',
    'serve /b a:1',
  ],
]

for (const [why, routes, request, outcome] of CASES)
  test(why, () => assert.equal(run(routes, request), outcome))

test('a listing comes after the index file and before 404, where it is allowed', () => {
  const site = siteOf(FILES, ['/docs', '/img'])
  assert.equal(run([], '/docs', site), 'serve /docs/index.html')
  assert.equal(run([], '/img', site), 'listing /img')
  assert.equal(run([FILESYSTEM, { src: '/.*', dest: '/b' }], '/img', site), 'serve /b')
  assert.equal(
    show(
      matchRoutes(
        EMPTY_TABLE,
        { path: '/img', query: '', method: 'GET' },
        { find: (): string | undefined => undefined },
      ),
    ),
    'not found /img',
  )
})

test('an outcome tells the path after rewriting from where the target was found', () => {
  const outcome = matchRoutes(
    table([{ src: '/x', dest: '/docs?a=1' }]),
    { path: '/x', query: '', method: 'GET' },
    siteOf(FILES),
  )
  assert.ok(outcome.kind === 'serve')
  assert.deepEqual([outcome.path, outcome.foundAt, outcome.query], ['/docs', '/docs/index.html', 'a=1'])
})

test('rewriting that doubles the path a thousand times is refused', () => {
  assert.equal(
    run(Array(1024).fill({ src: '/(.*)', dest: '/$1$1', continue: true }), '/ab'),
    'refused unsafe',
  )
})

test('headers that together get too large are refused', () => {
  const routes = Array.from({ length: 20 }, (_, i) => ({
    src: '/(.*)',
    headers: { [`x-${i}`]: '$1' },
    continue: true,
  }))
  assert.equal(run(routes, `/${'a'.repeat(4000)}`), 'refused too-large')
})

test('a header that many routes replace counts once', () => {
  const routes = Array(1024).fill({ src: '/a', headers: { 'x-a': 'v'.repeat(1000) }, continue: true })
  assert.equal(run(routes, '/a'), `serve /a x-a:${'v'.repeat(1000)}`)
})

test('a table that works too hard on a long path is refused and still serves short ones', {
  timeout: 30_000,
}, () => {
  const routes = Array.from({ length: 300 }, (_, i) => ({
    src: `/(.*)(.*)(.*)(.*)(.*)x${i}(y|z)`,
    dest: '/a',
  }))
  assert.equal(run(routes, `/${'a'.repeat(8000)}`), 'refused too-costly')
  assert.equal(run(routes, '/b'), 'serve /b')
})

test('whatever the path, matching ends and neither headers nor addresses have a line break', () => {
  const routes = table([
    { src: '/(.*)', headers: { 'x-a': '$1', location: '/$1' }, continue: true },
    { src: '/r/(.*)', headers: { location: 'https://example.com/$1?$1#$1' }, status: 302 },
    { src: '/p/(.*)', dest: 'https://$1.example.com/$1?q=$1' },
    { src: '/q(.*)', dest: 'https://example.com$1' },
    { src: '/s/(.*)', dest: '/$1', status: 301 },
    { src: '/c/(.*)', dest: '/x/$1', check: true },
  ])
  const raw = fc.tuple(fc.constantFrom('r/', 'p/', 'q', 's/', 'c/', ''), anyText).map((p) => p.join(''))
  fc.assert(
    fc.property(raw, (path) => {
      const outcome = matchRoutes(
        routes,
        { path: decodePath(`/${path}`), query: '', method: 'GET' },
        siteOf(FILES),
      )
      const address =
        outcome.kind === 'redirect' ? outcome.location : outcome.kind === 'proxy' ? outcome.url : ''
      const headers = 'headers' in outcome ? [...outcome.headers.values()] : []
      for (const value of [address, ...headers]) assert.match(value, /^[!-~]*$/)
      if (outcome.kind === 'proxy') assert.match(new URL(outcome.url).hostname, /(?:^|\.)example\.com$/)
      if (outcome.kind === 'redirect')
        assert.match(
          new URL(outcome.location, 'https://own.invalid').hostname,
          /^(?:example\.com|own\.invalid)$/,
        )
    }),
    { numRuns: 500 },
  )
})

test('a stored table answers as the one it was made from', () => {
  for (const [why, routes, request] of CASES) {
    const restored = restoreRoutes(JSON.parse(JSON.stringify(table(routes).routes)))
    const [path = '', query = ''] = request.replace(/^\w+ /, '').split('?')
    const asked = { path: decodePath(path), query, method: 'GET' }
    const outcome = matchRoutes(table(routes), asked, siteOf(FILES))
    assert.deepEqual(matchRoutes(restored, asked, siteOf(FILES)), outcome, why)
  }
})

test('the routes that clean URLs, redirects, headers and rewrites are turned into work as they should', () => {
  const { routes, error } = getTransformedRoutes({
    cleanUrls: true,
    trailingSlash: false,
    redirects: [{ source: '/old/:path*', destination: '/new/:path*', statusCode: 301 }],
    headers: [{ source: '/(.*)', headers: [{ key: 'X-Frame-Options', value: 'DENY' }] }],
    rewrites: [
      { source: '/users/:id', destination: '/api/user.js' },
      { source: '/proxy/:path*', destination: 'https://example.com/:path*' },
    ],
  })
  assert.equal(error, null)
  assert.equal(run(routes, '/about.html'), '308 -> /about')
  assert.equal(run(routes, '/docs/index'), '308 -> /docs')
  assert.equal(run(routes, '/docs/'), '308 -> /docs')
  assert.equal(run(routes, '/old/a/b'), '301 -> /new/a/b')
  assert.equal(run(routes, '/users/7?x=1'), 'serve /api/user.js?x=1&id=7 x-frame-options:DENY')
  assert.equal(run(routes, '/proxy/a/b'), 'proxy => https://example.com/a/b x-frame-options:DENY')
  assert.equal(run(routes, '/a'), 'serve /a x-frame-options:DENY')
})

test('a table by which a query grows and grows is refused', () => {
  const rules = (count: number) =>
    Array.from({ length: count }, (_, n) => ({
      ...{ src: '/.*', continue: true },
      dest: `/a?k${n}=${'x'.repeat(2000)}`,
    }))
  const outcome = (count: number) =>
    matchRoutes(table(rules(count)), { method: 'GET', path: '/z', query: 'q' }, siteOf(['/a'])).kind
  assert.equal(outcome(10), 'serve')
  assert.equal(outcome(200), 'refused')
})

test('so is one that puts long headers together again and again', () => {
  const rules = (count: number) =>
    Array.from({ length: count }, () => ({ src: '/(.*)', headers: { 'x-a': '$1$1' }, continue: true }))
  const outcome = (count: number) =>
    matchRoutes(
      table([...rules(count), { src: '/.*', dest: '/a' }]),
      { method: 'GET', path: `/${'y'.repeat(4000)}`, query: '' },
      siteOf(['/a']),
    ).kind
  assert.equal(outcome(100), 'serve')
  assert.equal(outcome(1020), 'refused')
})
