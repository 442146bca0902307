import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileOutputRoutes } from '../read/compile-output-routes.ts'
import type { Site } from '../site.ts'
import { decodePath } from '../url/request-path.ts'
import { matchRoutes } from './match-routes.ts'
import { encodeRouteMatches } from './route-matches.ts'
import type { Continuation, RouteOutcome } from './route-outcome.ts'

/** The routes of a build output as a framework emits them, what else it emits, and what requests get. */
interface Framework {
  readonly name: string
  readonly routes: readonly unknown[]
  readonly outputs: readonly string[]
  /** As in `POST /path?query header:value`; what the middleware says, if it is asked, is the third. */
  readonly cases: readonly (readonly [request: string, outcome: string, continuation?: Continuation])[]
}

const RSC = [{ type: 'header', key: 'rsc' }]
const DATA = [{ type: 'header', key: 'x-nextjs-data' }]
const IMMUTABLE = 'public,max-age=31536000,immutable'

const NEXT: Framework = {
  name: 'Next.js with the app router, a middleware and pages',
  routes: [
    {
      src: '^(?:/((?:[^/]+?)(?:/(?:[^/]+?))*))/$',
      headers: { Location: '/$1' },
      status: 308,
      continue: true,
    },
    { src: '^/_next/data/BUILD/(.*).json$', dest: '/$1', override: true, continue: true, has: DATA },
    { src: '^/index(?:/)?$', dest: '/', override: true, continue: true, has: DATA },
    { src: '^/about$', headers: { 'x-about': 'yes' }, continue: true },
    { src: '^/old/([^/]+?)(?:/)?$', headers: { Location: '/blog/$1' }, status: 307 },
    {
      src: '^(?:\\/(_next\\/data\\/[^/]{1,}))?(?:\\/((?!api|_next\\/static|_next\\/image|favicon.ico).*))(\\.json)?[\\/#\\?]?$',
      missing: [{ type: 'header', key: 'next-router-prefetch' }],
      middlewareRawSrc: ['/((?!api|_next/static|_next/image|favicon.ico).*)'],
      middlewarePath: 'middleware',
      continue: true,
      override: true,
    },
    { src: '^/before$', dest: '/about', continue: true, override: true },
    {
      src: '^/404/?$',
      status: 404,
      continue: true,
      missing: [{ type: 'header', key: 'x-prerender-revalidate' }],
    },
    { src: '^/500$', status: 500, continue: true },
    { src: '^/$', has: DATA, dest: '/_next/data/BUILD/index.json', continue: true, override: true },
    {
      src: '^/((?!_next/)(?:.*[^/]|.*))/?$',
      has: DATA,
      dest: '/_next/data/BUILD/$1.json',
      continue: true,
      override: true,
    },
    {
      src: '^/?$',
      has: RSC,
      dest: '/index.rsc',
      headers: { vary: 'RSC' },
      continue: true,
      override: true,
    },
    {
      src: '^/((?!.+\\.rsc).+?)(?:/)?$',
      has: RSC,
      dest: '/$1.rsc',
      headers: { vary: 'RSC' },
      continue: true,
      override: true,
    },
    { handle: 'filesystem' },
    { src: '^/_next/data/BUILD/(.*).json$', dest: '/$1', continue: true, has: DATA },
    { src: '^/after/(.*)$', dest: '/blog/$1', check: true },
    { src: '/\\.rsc$', dest: '/index.rsc', check: true },
    { handle: 'resource' },
    { src: '^/fallback/(.*)$', dest: 'https://legacy.example.com/$1', check: true },
    { src: '/.*', status: 404 },
    { handle: 'miss' },
    {
      src: '/_next/static/(?:[^/]+/pages|pages|chunks|runtime|css|image|media)/.+',
      status: 404,
      check: true,
      dest: '$0',
    },
    { handle: 'rewrite' },
    { src: '^/$', has: DATA, dest: '/_next/data/BUILD/index.json', continue: true },
    { src: '^/((?!_next/)(?:.*[^/]|.*))/?$', has: DATA, dest: '/_next/data/BUILD/$1.json', continue: true },
    {
      src: '^/_next/data/BUILD/posts/(?<nxtPid>[^/]+?)(?:/)?.json$',
      dest: '/posts/[id]?nxtPid=$nxtPid',
    },
    { src: '^/blog/(?<nxtPslug>[^/]+?)(?:\\.rsc)(?:/)?$', dest: '/blog/[slug].rsc?nxtPslug=$nxtPslug' },
    { src: '^/blog/(?<nxtPslug>[^/]+?)(?:/)?$', dest: '/blog/[slug]?nxtPslug=$nxtPslug' },
    { src: '^/docs(?:/(?<nxtPpath>.+?))?(?:/)?$', dest: '/docs/[[...path]]?nxtPpath=$nxtPpath' },
    { src: '^/posts/(?<nxtPid>[^/]+?)(?:/)?$', dest: '/posts/[id]?nxtPid=$nxtPid' },
    { handle: 'hit' },
    {
      src: '/_next/static/(?:[^/]+/pages|pages|chunks|runtime|css|image|media|BUILD)/.+',
      headers: { 'cache-control': IMMUTABLE },
      continue: true,
      important: true,
    },
    { src: '/index', headers: { 'x-matched-path': '/' }, continue: true, important: true },
    { src: '/((?!index$).*)', headers: { 'x-matched-path': '/$1' }, continue: true, important: true },
    { handle: 'error' },
    { src: '/.*', dest: '/_not-found', status: 404 },
    { src: '/.*', dest: '/500', status: 500 },
  ],
  outputs: [
    ...[
      '/index',
      '/index.rsc',
      '/about',
      '/about.rsc',
      '/blog/[slug]',
      '/blog/[slug].rsc',
      '/docs/[[...path]]',
    ],
    ...['/posts/[id]', '/_next/data/BUILD/posts/1.json', '/_next/static/chunks/a.js', '/_not-found', '/500'],
    ...['/middleware', '/favicon.ico'],
  ],
  cases: [
    ['/', 'asks /middleware; /index x-matched-path:/'],
    ['/ rsc:1', 'asks /middleware; /index.rsc vary:RSC x-matched-path:/index.rsc'],
    ['/about', 'asks /middleware; /about x-about:yes x-matched-path:/about'],
    ['/about rsc:1', 'asks /middleware; /about.rsc (1=about) vary:RSC x-about:yes x-matched-path:/about.rsc'],
    ['/about next-router-prefetch:1', '/about x-about:yes x-matched-path:/about'],
    ['/about/?a=1', '308 -> /about?a=1'],
    ['/old/x?a=1', '307 -> /blog/x?a=1'],
    [
      '/blog/hello%20you?q=1',
      'asks /middleware; /blog/[slug]?q=1&nxtPslug=hello%20you (1=hello%20you&nxtPslug=hello%20you) x-matched-path:/blog/[slug]',
    ],
    [
      '/blog/hello rsc:1',
      'asks /middleware; /blog/[slug].rsc?nxtPslug=hello (1=hello&nxtPslug=hello) vary:RSC x-matched-path:/blog/[slug].rsc',
    ],
    ['/docs', 'asks /middleware; /docs/[[...path]]?nxtPpath= () x-matched-path:/docs/[[...path]]'],
    [
      '/docs/a/b',
      'asks /middleware; /docs/[[...path]]?nxtPpath=a%2Fb (1=a%2Fb&nxtPpath=a%2Fb) x-matched-path:/docs/[[...path]]',
    ],
    ['/after/x', 'asks /middleware; /blog/[slug]?nxtPslug=x (1=x&nxtPslug=x) x-matched-path:/blog/[slug]'],
    ['/fallback/a?b=1', 'asks /middleware; proxy https://legacy.example.com/a?b=1'],
    ['/before', 'asks /middleware; /about x-matched-path:/about'],
    ['/nothing', 'asks /middleware; 404 /_not-found x-matched-path:/_not-found'],
    ['/404', 'asks /middleware; 404 /_not-found x-matched-path:/_not-found'],
    ['/500', 'asks /middleware; 500 /500 x-matched-path:/500'],
    ['/api/nothing', '404 /_not-found x-matched-path:/_not-found'],
    ['/favicon.ico', '/favicon.ico x-matched-path:/favicon.ico'],
    [
      '/_next/static/chunks/a.js',
      `/_next/static/chunks/a.js cache-control:${IMMUTABLE} x-matched-path:/_next/static/chunks/a.js`,
    ],
    ['/_next/static/chunks/gone.js', '404 /_not-found x-matched-path:/_not-found'],
    [
      '/_next/data/BUILD/posts/1.json x-nextjs-data:1',
      'asks /middleware; /_next/data/BUILD/posts/1.json (1=posts%2F1) x-matched-path:/_next/data/BUILD/posts/1.json',
    ],
    [
      '/_next/data/BUILD/posts/2.json x-nextjs-data:1',
      'asks /middleware; /posts/[id]?nxtPid=2 (1=2&nxtPid=2) x-matched-path:/posts/[id]',
    ],
    [
      '/secret',
      'asks /middleware; /about?from=secret x-matched-path:/about',
      { rewrite: '/about?from=secret' },
    ],
    [
      '/elsewhere?a=1',
      'asks /middleware; proxy https://example.com/x?b=2 x-mw:1',
      { rewrite: 'https://example.com/x?b=2#c', headers: new Map([['x-mw', '1']]) },
    ],
  ],
}

const SVELTEKIT: Framework = {
  name: 'SvelteKit',
  routes: [
    { src: '/_app/immutable/.+', headers: { 'cache-control': IMMUTABLE } },
    {
      src: '^/((?!_app/immutable|favicon.ico|favicon.png).*)$',
      middlewarePath: 'user-middleware',
      continue: true,
    },
    { src: '/about/?', dest: '/about.html', status: 200 },
    { handle: 'filesystem' },
    { src: '^/?(?:/__data.json)?$', dest: '/fn-0' },
    { src: '^/blog/([^/]+?)/?$', dest: '/blog/[slug]?__pathname=/blog/$1' },
    { src: '^/blog/([^/]+?)/?/__data.json$', dest: '/blog/[slug]/__data.json?__pathname=/blog/$1' },
    { src: '/.*', dest: '/fn' },
  ],
  outputs: [
    ...['/_app/immutable/x.js', '/favicon.png', '/about.html', '/fn', '/fn-0', '/user-middleware'],
    ...['/blog/[slug]', '/blog/[slug]/__data.json'],
  ],
  cases: [
    ['/_app/immutable/x.js', `/_app/immutable/x.js cache-control:${IMMUTABLE}`],
    ['/_app/immutable/gone.js', `/fn cache-control:${IMMUTABLE}`],
    ['/favicon.png', '/favicon.png'],
    ['/about', 'asks /user-middleware; 200 /about.html'],
    ['/', 'asks /user-middleware; /fn-0'],
    ['/__data.json', 'asks /user-middleware; /fn-0'],
    ['/blog/a', 'asks /user-middleware; /blog/[slug]?__pathname=/blog/a (1=a)'],
    ['/blog/a/__data.json', 'asks /user-middleware; /blog/[slug]/__data.json?__pathname=/blog/a (1=a)'],
    ['POST /form?/login', 'asks /user-middleware; /fn?/login'],
  ],
}

const ASTRO: Framework = {
  name: 'Astro',
  routes: [
    { src: '^/old$', headers: { Location: '/new' }, status: 301 },
    { src: '^/_astro/(.*)$', headers: { 'cache-control': IMMUTABLE }, continue: true },
    { handle: 'filesystem' },
    { src: '^\\/_image\\/?$', dest: '_render' },
    { src: '^\\/posts\\/([^/]+?)\\/?$', dest: '_isr?x_astro_path=$0' },
    { src: '^\\/$', dest: '_render' },
    { src: '^/.*$', dest: '/404.html', status: 404 },
  ],
  outputs: ['/_astro/a.css', '/about/index.html', '/404.html', '/_render', '/_isr'],
  cases: [
    ['/old?x=1', '301 -> /new?x=1'],
    ['/_astro/a.css', `/_astro/a.css cache-control:${IMMUTABLE}`],
    ['/about', '/about/index.html'],
    ['/about/', '/about/index.html'],
    ['/', '/_render'],
    ['/_image?href=x', '/_render?href=x'],
    ['/posts/1?q=2', '/_isr?q=2&x_astro_path=%2Fposts%2F1 (1=1)'],
    ['/nothing', '404 /404.html'],
  ],
}

const NITRO: Framework = {
  name: 'Nitro, as in Nuxt',
  routes: [
    { src: '/api/(.*)', headers: { 'access-control-allow-origin': '*' }, continue: true },
    { src: '/old/(.*)', headers: { Location: 'https://example.com/$1' }, status: 302 },
    { src: '/_nuxt/(.*)', headers: { 'cache-control': IMMUTABLE }, continue: true },
    { handle: 'filesystem' },
    { src: '(?<__isr_route>/news/(?:.*))', dest: '/news/[...]-isr?__isr_route=$__isr_route' },
    { src: '/(.*)', dest: '/__fallback' },
  ],
  outputs: ['/_nuxt/a.js', '/news/[...]-isr', '/__fallback', '/index.html'],
  cases: [
    ['/', '/index.html'],
    ['/_nuxt/a.js', `/_nuxt/a.js cache-control:${IMMUTABLE}`],
    ['/api/x?y=1', '/__fallback?y=1 (1=api%2Fx) access-control-allow-origin:*'],
    ['/old/p', '302 -> https://example.com/p'],
    [
      '/news/a/b',
      '/news/[...]-isr?__isr_route=%2Fnews%2Fa%2Fb (1=%2Fnews%2Fa%2Fb&__isr_route=%2Fnews%2Fa%2Fb)',
    ],
  ],
}

/** Of a release that keeps a page for each language, and looks without the language for what has none. */
const NEXT_LANGUAGES: Framework = {
  name: 'Next.js in two languages',
  routes: [
    { src: '^/$', dest: '/en', continue: true },
    { src: '^/(?!(?:_next/.*|en|de)(?:/.*|$))(.*)$', dest: '/en/$1', continue: true },
    { handle: 'filesystem' },
    { src: '^(?:/(en|de))/over(?:/([^/]+?))(?:/)?$', dest: '/$1/d/$2', check: true },
    { handle: 'resource' },
    { src: '/.*', status: 404 },
    { handle: 'miss' },
    {
      src: '/_next/static/.+',
      status: 404,
      check: true,
      dest: '/_next/static/not-found.txt',
      headers: { 'content-type': 'text/plain; charset=utf-8' },
    },
    { src: '/en', dest: '/', check: true },
    { src: '^//?(?:en|de)/(.*)', dest: '/$1', check: true },
    { handle: 'rewrite' },
    {
      src: '^[/]?(?<nextLocale>en|de)?/d/(?<nxtPid>[^/]+?)(?:/)?$',
      dest: '/$nextLocale/d/[id]?nxtPid=$nxtPid',
    },
    {
      src: '^[/]?(?<nextLocale>en|de)?/s/(?<nxtPid>[^/]+?)(?:/)?$',
      dest: '/$nextLocale/s/[id]?nxtPid=$nxtPid',
    },
    { handle: 'error' },
    { src: '/(?<nextLocale>en|de)(/.*|$)', dest: '/$nextLocale/404', status: 404 },
    { src: '/.*', dest: '/en/404', status: 404 },
  ],
  outputs: [
    ...['/en', '/de', '/en/about', '/de/about', '/en/404', '/de/404', '/robots.txt'],
    ...['/en/d/[id]', '/de/d/[id]', '/s/[id]', '/en/s/[id]', '/de/s/[id]', '/_next/static/not-found.txt'],
  ],
  cases: [
    ['/', '/en'],
    ['/de', '/de'],
    ['/about', '/en/about (1=about)'],
    ['/robots.txt', '/robots.txt (1=robots.txt)'],
    ['/d/5', '/en/d/[id]?nxtPid=5 (1=en&2=5&nextLocale=en&nxtPid=5)'],
    ['/de/d/5', '/de/d/[id]?nxtPid=5 (1=de&2=5&nextLocale=de&nxtPid=5)'],
    ['/de/s/5', '/de/s/[id]?nxtPid=5 (1=de&2=5&nextLocale=de&nxtPid=5)'],
    ['/de/over/5', '/de/d/[id]?nxtPid=5 (1=de&2=5&nextLocale=de&nxtPid=5)'],
    ['/de/none', '404 /de/404 (1=de&2=%2Fnone&nextLocale=de)'],
    ['/_next/static/x.js', '404 /_next/static/not-found.txt content-type:text/plain; charset=utf-8'],
  ],
}

const REMIX: Framework = {
  name: 'Remix',
  routes: [
    { src: '^/assets/(.*)$', headers: { 'cache-control': IMMUTABLE }, continue: true },
    { handle: 'filesystem' },
    { src: '^/dashboard(?:/([^/]+?))$', dest: 'dashboard/:tab' },
    { src: '/(.*)', dest: '/' },
  ],
  outputs: ['/assets/a.js', '/index', '/dashboard/:tab'],
  cases: [
    ['/assets/a.js', `/assets/a.js cache-control:${IMMUTABLE}`],
    ['/', '/index'],
    ['/dashboard/x', '/dashboard/:tab (1=x)'],
    ['/any/thing', '/index (1=any%2Fthing)'],
  ],
}

const ZERO_CONFIG: Framework = {
  name: 'a static site with functions in api/',
  routes: [
    { src: '^/(.*)\\.html/?$', headers: { Location: '/$1' }, status: 308 },
    { handle: 'filesystem' },
    { src: '^/u/([^/]+?)$', dest: '/api/user.js?id=$1', check: true },
    { src: '^/api/([^/]+)$', dest: '/api/[id]?id=$1', check: true },
    { src: '^/api(/.*)?$', status: 404 },
    { handle: 'miss' },
    { src: '^/api/(.+)(?:\\.(?:js|ts))$', dest: '/api/$1', check: true },
    { handle: 'error' },
    { status: 404, src: '^(?!/api).*$', dest: '/404.html' },
  ],
  outputs: ['/index.html', '/404.html', '/api/user', '/api/[id]', '/api/index'],
  cases: [
    ['/', '/index.html'],
    ['/api', '/api/index'],
    ['/api/user', '/api/user'],
    ['/api/user.js', '/api/user (1=user)'],
    ['/u/7', '/api/user?id=7 (1=user)'],
    ['/api/other', '/api/[id]?id=other (1=other)'],
    ['/api/a/b', 'not found'],
    ['/a/b', '404 /404.html'],
    ['/a.html?b', '308 -> /a?b'],
  ],
}

for (const { name, routes, outputs, cases } of [
  NEXT,
  NEXT_LANGUAGES,
  SVELTEKIT,
  ASTRO,
  NITRO,
  REMIX,
  ZERO_CONFIG,
]) {
  const compiled = compileOutputRoutes(routes)
  const site: Site<string> = {
    find: (path) => (outputs.includes(path) ? path : undefined),
    isBuilt: true,
  }
  test(`${name}: the routes compile`, () =>
    assert.ok(compiled.ok, compiled.ok ? '' : compiled.errors.map(({ message }) => message).join('\n')))
  if (!compiled.ok) continue
  for (const [request, expected, continuation = {}] of cases)
    test(`${name}: ${request}`, () => {
      const [target = '', ...headers] = request.replace(/^(?:[A-Z]+ )/, '').split(' ')
      const [rawPath = '', ...query] = target.split('?')
      const outcome = matchRoutes(
        compiled.table,
        {
          path: decodePath(rawPath),
          query: query.join('?'),
          method: /^([A-Z]+) /.exec(request)?.[1] ?? 'GET',
          header: (asked) => headers.find((header) => header.startsWith(`${asked}:`))?.split(':')[1],
        },
        site,
      )
      assert.equal(show(outcome, continuation), expected)
    })
}

function show(outcome: RouteOutcome<string>, continuation: Continuation): string {
  if (outcome.kind === 'middleware')
    return `asks ${outcome.middlewarePath}; ${show(outcome.resume(continuation), continuation)}`
  const headers =
    'headers' in outcome ? [...outcome.headers].map((header) => ` ${header.join(':')}`).sort() : []
  return `${showKind(outcome)}${headers.join('')}`
}

function showKind(outcome: Exclude<RouteOutcome<string>, { kind: 'middleware' }>): string {
  switch (outcome.kind) {
    case 'serve': {
      const { status, foundAt, query, routeMatches } = outcome
      const matches = routeMatches === undefined ? '' : ` (${encodeRouteMatches(routeMatches)})`
      return `${status === undefined ? '' : `${status} `}${foundAt}${query && `?${query}`}${matches}`
    }
    case 'redirect':
      return `${outcome.status} -> ${outcome.location}`
    case 'proxy':
      return `proxy ${outcome.url}`
    case 'not-found':
      return 'not found'
    default:
      return outcome.kind
  }
}
