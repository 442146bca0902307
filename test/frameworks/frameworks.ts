import { type App, type Expectation, example, testApp } from '#test/support/app.ts'
import { largeNext } from './large-next.ts'

/** An application of a framework, with what is tried on its site. */
export interface FrameworkApp extends Omit<App, 'shows'> {
  /** As people call it. */
  readonly framework: string
  /** The package whose version is told. */
  readonly package: string
  /** Of a project in Python: that package with its version, and the list that the run writes where it is a lock file. */
  readonly python?: { readonly package: string; readonly lock?: 'uv.lock' }
  readonly tries: readonly Try[]
}

/** Something that visitors expect, in few words for the table. */
interface Try {
  readonly what: string
  /** One after another, as one visitor who keeps cookies; some depend on those before. */
  readonly steps: readonly Step[]
}

export type Step =
  | Expectation
  /** The `<time>` of a page, which has to be the one of the step before, or another. */
  | {
      readonly path: string
      readonly time: 'kept' | 'new'
      readonly headers?: Readonly<Record<string, string>>
    }
  /** Sends the first form of a page back as a browser without scripts does, and looks at where that leads. */
  | { readonly form: string; readonly fields: Readonly<Record<string, string>>; readonly holds: RegExp }
  /** An answer that comes in parts: the second is not there yet when the first is. */
  | { readonly stream: string; readonly first: RegExp; readonly last: RegExp }
  /** A WebSocket that says back what it is told. */
  | { readonly socket: string; readonly says: string }

const page = (what: string, path: string, holds: RegExp, more: Partial<Expectation> = {}): Try => ({
  what,
  steps: [{ path, holds, ...more }],
})

const HTML = /text\/html/
const SUM: Partial<Expectation> = { method: 'POST', body: '{"a":2,"b":3}', type: /json/ }
const sum = page('a request with a body', '/api/sum', /"sum":5/, SUM)
const kept: Try = {
  what: 'a page that is kept',
  steps: [
    { path: '/kept/1', time: 'new' },
    { path: '/kept/1', time: 'kept' },
  ],
}
const missing = (path = '/nothing-here'): Try => page('a page that is missing', path, /./s, { status: 404 })

/** A page that is kept, and made anew after something was done. */
const revalidates = (what: string, path: string, act: Expectation): Try => ({
  what,
  steps: [{ path, time: 'new' }, { path, time: 'kept' }, act, { path, time: 'new' }, { path, time: 'kept' }],
})

const post = (path: string, body: object): Expectation => ({
  path,
  method: 'POST',
  body: JSON.stringify(body),
  holds: /"done":true/,
})

const greets = (name: string): Try =>
  page('server rendering with a query', '/?name=Ada', new RegExp(`${name} greets.*Ada`))
const person = page('server rendering of a parameter', '/people/Ada', /Person.*(?:Ada|ADA)/)
const cookies = page('two cookies', '/cookie', /had a=b/, {
  headers: { cookie: 'a=b' },
  has: { 'set-cookie': /one=1.*two=2/ },
})

const slow: Try = {
  what: 'streaming',
  steps: [{ stream: '/slow', first: /the early part/, last: /the late part/ }],
}

const withoutList = (files: App['files'], list: string): App['files'] =>
  Object.fromEntries(Object.entries(files).filter(([path]) => path !== list))

const FLASK = [greets('Flask'), person, sum, cookies, slow, missing()]
const REACT_ROUTER = [greets('React Router'), person, sum, cookies, missing()]

export const FRAMEWORK_APPS: readonly FrameworkApp[] = [
  {
    ...{ name: 'vite-react', framework: 'Vite, React', package: 'vite', files: example('vite-react') },
    tries: [
      page('a page', '/', /<script type="module"[^>]* src="\/assets\/index-/, { type: HTML }),
      page('a file', '/robots.txt', /User-agent/),
    ],
  },
  {
    ...{ name: 'react-router', framework: 'React Router', package: 'react-router' },
    files: testApp('react-router'),
    tries: REACT_ROUTER,
  },
  {
    ...{ name: 'react-router-preset', framework: 'React Router with its preset', package: 'react-router' },
    files: testApp('react-router-preset'),
    tries: REACT_ROUTER,
  },
  {
    ...{ name: 'remix', framework: 'Remix', package: '@remix-run/react', files: testApp('remix') },
    tries: [greets('Remix'), person, sum, missing()],
  },
  {
    ...{ name: 'next', framework: 'Next.js', package: 'next', files: example('next') },
    tries: [
      page('a static page', '/', /Next home/),
      page('server rendering of a parameter', '/posts/first?who=you', /Post.*first.*for.*you/),
      page('a route handler', '/api/hello?name=Ada', /{"hello":"Ada"}/, { type: /json/ }),
      missing(),
    ],
  },
  {
    ...{ name: 'next-16-proxy', framework: 'Next.js with proxy.ts', package: 'next' },
    files: testApp('next-16-proxy'),
    tries: [
      page('a static page', '/', /Next 16 home/, { type: HTML }),
      page('the proxy answers', '/guarded', /Not for you/, { status: 401 }),
      page('the proxy redirects', '/moved', /.*/s, { status: 307, has: { location: /\/$/ } }),
      page('the proxy rewrites', '/other', /Person.*other/),
      page('the proxy changes headers both ways, and sets a cookie', '/people/Ada', /Person.*Ada.*proxied/, {
        has: { 'x-answered-by': /^proxy$/, 'set-cookie': /seen=yes/ },
      }),
      revalidates('revalidateTag', '/tagged', post('/api/revalidate', { tag: 'stamps' })),
      revalidates('revalidatePath', '/timed', post('/api/revalidate', { path: '/timed' })),
      page('an image', '/_next/image?url=%2Fdot.png&w=32&q=75', /PNG/, { type: /image\// }),
      page('a script that is missing', '/_next/static/chunks/none.js', /./s, { status: 404 }),
      missing(),
    ],
  },
  {
    ...{ name: 'next-16-partial', framework: 'Next.js with partial prerendering', package: 'next' },
    files: testApp('next-16-partial'),
    tries: [
      page('a static page', '/', /Partial home/, { type: HTML }),
      page('a shell with a part for the visitor', '/shell', /the shell.*for.*me/s, {
        headers: { 'x-asked': 'me' },
      }),
      page('the part of another visitor', '/shell', /the shell.*for.*you/s, {
        headers: { 'x-asked': 'you' },
      }),
      {
        what: 'use cache, and revalidateTag',
        steps: [
          { path: '/shell', time: 'new' },
          { path: '/shell', time: 'kept' },
          post('/api/revalidate', { tag: 'stamps' }),
          { path: '/shell', time: 'new' },
          { path: '/shell', time: 'kept' },
        ],
      },
      {
        what: 'a server action with updateTag',
        steps: [
          { path: '/form', holds: /bumped.*never/ },
          { form: '/form', fields: {}, holds: /bumped.*already/ },
        ],
      },
      missing(),
    ],
  },
  {
    ...{ name: 'next-large', framework: 'Next.js, a shop of 500 pages that the run writes', package: 'next' },
    files: largeNext(),
    tries: [
      page('the proxy chooses the language', '/', /.*/s, {
        ...{ headers: { 'accept-language': 'de' }, status: 307, has: { location: /\/de\/?$/ } },
      }),
      page('one of 300 pages of a route group', '/de/products/77', /Produkt 77 costs 539/, {
        has: { 'x-shop': /^large$/, 'x-vercel-cache': /^PRERENDER$/ },
      }),
      page('a page made on demand', '/fr/products/1234', /Produit 1234 costs/),
      page('notFound()', '/en/products/none', /Nothing is sold here/, { status: 404 }),
      page('one of 60 routes', '/fr/topic-59', /Topic 59 in fr/),
      page('an API route of 20', '/api/item-20/7', /{"item":20,"id":"7"}/),
      page('parallel routes', '/de/dashboard', /Dashboard de.*Stats.*Members/s),
      {
        what: 'streaming',
        steps: [{ stream: '/en/dashboard', first: /Team is coming/, last: /Members/ }],
      },
      page('an intercepted route, visited itself', '/en/photos/3', /The whole photo 3/),
      {
        what: 'a server action, twice',
        steps: [
          { path: '/en/basket', holds: /Basket empty/ },
          { form: '/en/basket', fields: { id: '5' }, holds: /Basket 5/ },
          { form: '/en/basket', fields: { id: '6' }, holds: /Basket 5-6/ },
        ],
      },
      revalidates('a tag of one page', '/en/products/5', post('/api/revalidate', { tag: 'product-5' })),
      {
        what: 'pages of other tags stay',
        steps: [
          { path: '/en/products/6', time: 'new' },
          post('/api/revalidate', { tag: 'product-7' }),
          { path: '/en/products/6', time: 'kept' },
        ],
      },
      revalidates('a tag of all', '/de/products/8', post('/api/revalidate', { tag: 'products' })),
      page('a sitemap', '/sitemap.xml', /en\/products\/1<.*fr\/products\/100</s, { type: /xml/ }),
      page('a redirect', '/old/9', /.*/s, { status: 308, has: { location: /\/en\/products\/9$/ } }),
      page('a rewrite', '/p/9', /Product 9 costs/),
      page('one of 20 images', '/_next/image?url=%2Fpictures%2F7.png&w=64&q=75', /PNG/, { type: /image\// }),
      missing('/en/nothing-here'),
    ],
  },
  {
    ...{ name: 'next-15', framework: 'Next.js 15', package: 'next', files: testApp('next-15') },
    tries: [
      page('a static page', '/', /Next 15 home/, { type: HTML }),
      {
        what: 'a server action',
        steps: [
          { path: '/form', holds: /Greeted.*nobody/ },
          { form: '/form', fields: { name: 'Grace' }, holds: /Greeted.*Grace/ },
        ],
      },
      slow,
      {
        what: 'draft mode',
        steps: [
          { path: '/draft', holds: /published/ },
          { path: '/api/draft', holds: /"done":true/ },
          { path: '/draft', holds: /a draft/ },
        ],
      },
      {
        what: 'after()',
        steps: [
          { path: '/api/after', holds: /"ran":false/ },
          { path: '/api/after', holds: /"ran":true/ },
        ],
      },
      page('instrumentation', '/api/instrumented', /"instrumented":"nodejs"/),
      page('next/font', '/', /_next\/static\/(?:media|css)\//),
      page('next/image', '/picture', /_next\/image\?url=/),
      missing(),
    ],
  },
  {
    ...{ name: 'next-14', framework: 'Next.js 14', package: 'next', files: testApp('next-14') },
    tries: [
      page('a static page', '/', /Next 14 home/, { type: HTML }),
      page('server rendering of a parameter', '/dynamic/5?who=Ada', /Server.*5.*for.*Ada/),
      page('cookies() on such a page', '/cookies/5', /Cookie.*5.*salty/, {
        headers: { cookie: 'taste=salty' },
      }),
      page('a route handler that reads headers', '/api/headers/5', /"id":"5","agent":"me"/, {
        headers: { 'x-asked': 'me' },
      }),
      page('getServerSideProps', '/old/5?q=1', /Old 5 1 me/, { headers: { 'x-asked': 'me' } }),
      page('a page made on demand', '/posts/second', /Post.*second/),
      page('data of a page for the browser', '/posts/first', /first/, {
        ...{ headers: { rsc: '1' }, type: /text\/x-component/ },
      }),
      page('an API route of a parameter', '/api/echo/hey', /{"word":"hey","body":{"n":1}}/, {
        ...{ method: 'POST', body: '{"n":1}' },
      }),
      revalidates('revalidateTag', '/tagged', post('/api/revalidate', { tag: 'stamps' })),
      revalidates('revalidatePath', '/posts/first', post('/api/revalidate', { path: '/posts/first' })),
      revalidates('res.revalidate', '/kept/1', {
        path: '/api/again?path=/kept/1',
        holds: /"revalidated":true/,
      }),
      page('a script that is missing', '/_next/static/none.js', /Not Found/i, {
        ...{ status: 404, type: /text\/plain/ },
      }),
      missing(),
    ],
  },
  {
    ...{ name: 'next-14-i18n', framework: 'Next.js 14 in two languages', package: 'next' },
    files: testApp('next-14-i18n'),
    tries: [
      page('the front page', '/', /Home en/),
      page('the front page of a language', '/de', /Home de/),
      page('a static page of a language', '/de/about', /About/),
      page('the language that a browser asks for', '/', /.*/s, {
        ...{ headers: { 'accept-language': 'de' }, status: 307, has: { location: /\/de$/ } },
      }),
      page('server rendering in the usual language', '/d/5', /Dynamic 5 en/),
      page('server rendering in another', '/de/d/5', /Dynamic 5 de/),
      page('a page made on demand', '/de/s/7', /Static 7 de/),
      page('a rewrite', '/de/over/5', /Dynamic 5 de/),
      page('a redirect', '/de/gone', /.*/s, { status: 308, has: { location: /\/de\/about$/ } }),
      missing('/de/nothing-here'),
    ],
  },
  {
    ...{
      name: 'next-export',
      framework: 'Next.js, exported',
      package: 'next',
      files: testApp('next-export'),
    },
    tries: [
      page('the front page', '/', /Exported home/, { type: HTML }),
      page('a page', '/about', /Exported about/, { type: HTML }),
      page('a page of a parameter', '/posts/two', /Exported.*two/, { type: HTML }),
      missing(),
    ],
  },
  {
    ...{ name: 'next-static', framework: 'Next.js, static pages alone', package: 'next' },
    files: testApp('next-static'),
    tries: [
      page('the front page', '/', /Static home/, { type: HTML }),
      page('a page', '/about', /Static about/, { type: HTML }),
      missing(),
    ],
  },
  {
    ...{ name: 'sveltekit', framework: 'SvelteKit', package: '@sveltejs/kit', files: testApp('sveltekit') },
    tries: [
      greets('Svelte'),
      page('a prerendered page', '/about', /Svelte about/, { type: HTML }),
      sum,
      kept,
      missing(),
    ],
  },
  {
    ...{ name: 'sveltekit-static', framework: 'SvelteKit, static', package: '@sveltejs/kit' },
    files: testApp('sveltekit-static'),
    tries: [
      page('the front page', '/', /Svelte static home/, { type: HTML }),
      page('a page', '/about', /Svelte static about/, { type: HTML }),
      missing(),
    ],
  },
  {
    ...{ name: 'astro', framework: 'Astro, static', package: 'astro', files: example('astro') },
    tries: [
      page('the front page', '/', /An Astro static site/),
      page('a page', '/about', /About Astro/),
      missing(),
    ],
  },
  {
    ...{ name: 'astro-server', framework: 'Astro, server', package: 'astro', files: testApp('astro-server') },
    tries: [
      page('server rendering with a query, and a cookie', '/?name=Ada', /Astro greets.*Ada/, {
        has: { 'set-cookie': /visited=yes/ },
      }),
      person,
      page('a prerendered page', '/about', /Astro about/, { type: HTML }),
      sum,
      missing(),
    ],
  },
  {
    ...{ name: 'nuxt', framework: 'Nuxt', package: 'nuxt', files: testApp('nuxt') },
    tries: [
      greets('Nuxt'),
      person,
      page('a prerendered page', '/about', /Nuxt about/, { type: HTML }),
      sum,
      kept,
      missing(),
    ],
  },
  {
    ...{ name: 'solid-start', framework: 'SolidStart', package: '@solidjs/start' },
    files: testApp('solid-start'),
    tries: [greets('Solid'), person, sum],
  },
  {
    ...{ name: 'angular', framework: 'Angular', package: '@angular/core', files: testApp('angular') },
    tries: [
      page('the front page', '/', /<app-root>/, { type: HTML }),
      page('the same page for a path of its router', '/people/Ada', /<app-root>/, { type: HTML }),
    ],
  },
  {
    ...{ name: 'angular-server', framework: 'Angular, server', package: '@angular/ssr' },
    files: testApp('angular-server'),
    tries: [
      greets('Angular'),
      person,
      page('a prerendered page', '/about', /rendered by the build/, { type: HTML }),
      sum,
      missing(),
    ],
  },
  {
    ...{ name: 'tanstack-start', framework: 'TanStack Start', package: '@tanstack/react-start' },
    files: testApp('tanstack-start'),
    tries: [greets('TanStack'), person, sum, missing()],
  },
  {
    ...{ name: 'qwik', framework: 'Qwik City', package: '@builder.io/qwik-city', files: testApp('qwik') },
    tries: [
      greets('Qwik'),
      page('server rendering of a parameter', '/people/Ada/', /Person.*Ada/),
      sum,
      missing(),
    ],
  },
  {
    ...{ name: 'nest', framework: 'NestJS', package: '@nestjs/core', files: testApp('nest') },
    tries: [
      greets('Nest'),
      person,
      page('a request with a body', '/api/sum', /"sum":5/, { ...SUM, status: 201 }),
      page('a stream', '/file', /streamed by Nest/, { type: /text\/plain/ }),
      missing(),
    ],
  },
  {
    ...{ name: 'express', framework: 'Express', package: 'express', files: example('express') },
    tries: [page('an application that listens', '/', /./s)],
  },
  {
    ...{ name: 'fastify', framework: 'Fastify', package: 'fastify', files: testApp('fastify') },
    tries: [page('an application that listens', '/', /{"fastify":true}/, { type: /json/ }), missing()],
  },
  {
    ...{ name: 'koa', framework: 'Koa', package: 'koa', files: testApp('koa') },
    tries: [greets('Koa'), person, sum, cookies, missing()],
  },
  {
    ...{ name: 'hono', framework: 'Hono', package: 'hono', files: example('hono') },
    tries: [page('an application that is exported', '/user/7', /7/), missing()],
  },
  {
    ...{ name: 'bun', framework: 'Bun.serve', package: 'bun', files: testApp('bun') },
    tries: [
      page('server rendering with a query', '/?name=Ada', /Bun 1\.\d+\.\d+ greets Ada/),
      person,
      sum,
      cookies,
      missing(),
    ],
  },
  {
    ...{ name: 'bun-functions', framework: 'functions with `bunVersion`', package: 'bun' },
    files: testApp('bun-functions'),
    tries: [page('a function (req, res)', '/api/hello?name=Ada', /"bun":"1\.[\d.]+","name":"Ada"/), sum],
  },
  {
    ...{ name: 'flask', framework: 'Flask, `requirements.txt`', package: 'flask', files: testApp('flask') },
    python: { package: 'flask==3.1.3' },
    tries: FLASK,
  },
  {
    ...{ name: 'flask-uv', framework: 'Flask, `uv.lock`', package: 'flask' },
    files: {
      ...withoutList(testApp('flask'), 'requirements.txt'),
      'pyproject.toml': '[project]\nname = "shop"\nversion = "1.0.0"\ndependencies = ["flask"]\n',
    },
    python: { package: 'flask==3.1.3', lock: 'uv.lock' },
    tries: FLASK,
  },
  {
    ...{ name: 'fastapi', framework: 'FastAPI, `pyproject.toml`', package: 'fastapi' },
    files: testApp('fastapi'),
    python: { package: 'fastapi==0.142.2' },
    tries: [
      greets('FastAPI'),
      person,
      sum,
      page('a body that does not fit', '/api/sum', /int_parsing/, {
        ...{ method: 'POST', body: '{"a":"two","b":3}', status: 422 },
      }),
      page('lifespan', '/began', /"began":"before the first request"/),
      slow,
      {
        what: 'a WebSocket',
        steps: [{ socket: '/socket', says: 'hello' }],
      },
      page('its own documentation', '/openapi.json', /"\/api\/sum"/, { type: /json/ }),
      missing(),
    ],
  },
  {
    ...{ name: 'django', framework: 'Django, `Pipfile`', package: 'django', files: testApp('django') },
    python: { package: 'django==5.2.17' },
    tries: [
      greets('Django'),
      person,
      sum,
      {
        what: 'a form with its token, and a session',
        steps: [
          { path: '/form', holds: /Greeted nobody/ },
          { form: '/form', fields: { name: 'Grace' }, holds: /Greeted Grace/ },
        ],
      },
      slow,
      missing(),
    ],
  },
  {
    ...{ name: 'start-script', framework: 'a `start` script alone', package: 'http-server' },
    files: testApp('start-script'),
    tries: [page('what the command serves', '/', /Started by its script/, { type: HTML })],
  },
]
