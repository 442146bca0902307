import { type App, example, testApp } from '#test/support/app.ts'

const VITE_REACT: App = {
  name: 'vite-react',
  files: example('vite-react'),
  shows: [
    { path: '/', holds: /<script type="module"[^>]* src="\/assets\/index-/, type: /text\/html/ },
    { path: '/robots.txt', holds: /User-agent/ },
  ],
}

const NEXT: App = {
  name: 'next',
  files: example('next'),
  shows: [
    { path: '/', holds: /Next home/ },
    { path: '/time', holds: /Made at.*<time>\d+<\/time>/ },
    { path: '/posts/first?who=you', holds: /Post.*first.*for.*you/ },
    { path: '/api/hello?name=Ada', holds: /{"hello":"Ada"}/, type: /json/ },
    { path: '/api/hello', method: 'POST', body: '{"n":1}', holds: /{"got":{"n":1}}/ },
    { path: '/nothing-here', holds: /404/, status: 404 },
  ],
}

const EXPRESS: App = {
  name: 'express',
  files: example('express'),
  shows: [
    { path: '/', holds: /Express is up/ },
    { path: '/echo/hey', method: 'POST', body: '{"a":1}', holds: /{"word":"hey","body":{"a":1}}/ },
    { path: '/absent', holds: /Cannot GET \/absent/, status: 404 },
  ],
}

const PLAIN_API: App = {
  name: 'plain-api',
  files: {
    'index.html': '<h1>Static beside functions</h1>',
    'api/hello.js': `module.exports = (req, res) => {
  console.log('hello was called for', req.query.name)
  res.status(200).json({ hello: req.query.name || 'world' })
}
`,
    'api/items/[id].ts': `export default function handler(req: { query: { id: string } }, res: any) {
  res.json({ id: req.query.id, env: process.env.GREETING })
}
`,
    'api/web.mjs': `export const GET = (request) => new Response('web ' + new URL(request.url).pathname)\n`,
  },
  shows: [
    { path: '/', holds: /Static beside functions/ },
    { path: '/api/hello?name=Ada', holds: /{"hello":"Ada"}/, type: /json/ },
    { path: '/api/items/42', holds: /"id":"42"/ },
    { path: '/api/web', holds: /web \/api\/web/ },
  ],
}

const PYTHON: App = {
  name: 'python',
  files: example('python'),
  shows: [
    { path: '/api/hello', holds: /Hello from Python/ },
    { path: '/api/wsgi?a=1', holds: /WSGI a=1/ },
  ],
}

const ELEVENTY: App = {
  name: 'eleventy',
  files: example('eleventy'),
  shows: [
    { path: '/', holds: /<h1>Eleventy heading<\/h1>/ },
    { path: '/posts/one', holds: /The first post/ },
  ],
}

/** By hand what adapters write: functions of a web Request, pages under other names, rules for what is missing. */
const BUILD_OUTPUT: App = {
  name: 'build-output',
  files: testApp('build-output'),
  shows: [
    { path: '/', holds: /The front page/, type: /text\/html/ },
    { path: '/about', holds: /About/, type: /text\/html/ },
    { path: '/web/Ada', holds: /^web Ada$/ },
    { path: '/de/d/5', holds: /^echo \/de\/d\/5\?lang=de&id=5 for one$/ },
    { path: '/_next/static/none.js', holds: /Not Found/, status: 404, type: /text\/plain/ },
  ],
}

const MIDDLEWARE: App = {
  name: 'middleware',
  files: testApp('middleware'),
  shows: [
    { path: '/', holds: /Open to all/ },
    { path: '/admin', holds: /Who are you/, status: 401, has: { 'www-authenticate': /Bearer/ } },
    { path: '/admin/', holds: /Who are you/, status: 401 },
    { path: '/%61dmin/index.html', holds: /Who are you/, status: 401 },
    { path: '/admin/', holds: /A secret/, headers: { authorization: 'Bearer friend' } },
    { path: '/moved', holds: /.*/, status: 307, has: { location: /\/$/ } },
    { path: '/other', holds: /Nobody asks/ },
    { path: '/public.txt', holds: /Nobody asks/ },
    {
      path: '/api/who',
      holds: /{"who":"a guest"}/,
      headers: { 'x-who': 'somebody else' },
      has: { 'x-guarded': /yes/, 'set-cookie': /seen=yes/ },
    },
    { path: '/middleware.ts', holds: /.*/s, status: 404 },
    { path: '/old', holds: /.*/s, status: 308, has: { location: /\/admin$/ } },
  ],
}

/**
 * Each way of building and running. `npm run test:frameworks` deploys others that take the same ways, such as Fastify and
 * Hono, which listen as Express does, Astro, which is built into a folder as Vite's and Eleventy's are, and SvelteKit, which
 * writes the output that BUILD_OUTPUT has.
 */
export const APPS: readonly App[] = [
  BUILD_OUTPUT,
  MIDDLEWARE,
  PLAIN_API,
  PYTHON,
  VITE_REACT,
  EXPRESS,
  ELEVENTY,
  NEXT,
]
