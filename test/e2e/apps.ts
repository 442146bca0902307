import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** Small applications as people write them, built from the package registry. */
export interface App {
  readonly name: string
  readonly files: Readonly<Record<string, string>>
  /** Paths of the live site with what their answer has to hold. */
  readonly shows: readonly Expectation[]
}

export interface Expectation {
  readonly path: string
  readonly holds: RegExp
  readonly method?: string
  readonly body?: string
  readonly type?: RegExp
  readonly status?: number
}

/** The files of a folder of `examples`, but for what it says to people. */
function example(name: string): App['files'] {
  const folder = resolve(import.meta.dirname, '../../examples', name)
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )
  const paths = files.map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
  return Object.fromEntries(
    paths
      .filter((path) => path !== 'README.md')
      .map((path) => [path, readFileSync(join(folder, path), 'utf8')]),
  )
}

const manifest = (value: object): string => JSON.stringify({ private: true, ...value }, null, 2)

export const VITE_REACT: App = {
  name: 'vite-react',
  files: example('vite-react'),
  shows: [
    { path: '/', holds: /<script type="module"[^>]* src="\/assets\/index-/, type: /text\/html/ },
    { path: '/robots.txt', holds: /User-agent/ },
  ],
}

const ASTRO: App = {
  name: 'astro',
  files: example('astro'),
  shows: [
    { path: '/', holds: /An Astro static site/ },
    { path: '/about', holds: /About Astro/ },
  ],
}

const SVELTE_KIT: App = {
  name: 'sveltekit',
  files: {
    'package.json': manifest({
      type: 'module',
      engines: { node: '22.x' },
      scripts: { build: 'vite build' },
      devDependencies: {
        '@sveltejs/adapter-vercel': '6.3.4',
        '@sveltejs/kit': '2.70.4',
        '@sveltejs/vite-plugin-svelte': '6.2.4',
        svelte: '5.57.3',
        vite: '7.3.8',
      },
    }),
    'svelte.config.js': `import adapter from '@sveltejs/adapter-vercel'\nexport default { kit: { adapter: adapter() } }\n`,
    'vite.config.js': `import { sveltekit } from '@sveltejs/kit/vite'\nexport default { plugins: [sveltekit()] }\n`,
    'src/app.html': `<!doctype html><html><head>%sveltekit.head%</head><body>%sveltekit.body%</body></html>`,
    'src/routes/+page.server.js': `export const load = ({ url }) => ({ name: url.searchParams.get('name') ?? 'nobody' })\n`,
    'src/routes/+page.svelte': `<script>let { data } = $props()</script><h1>Svelte greets {data.name}</h1>\n`,
    'src/routes/api/sum/+server.js': `import { json } from '@sveltejs/kit'
export async function POST({ request }) {
  const { a, b } = await request.json()
  return json({ sum: a + b })
}
`,
  },
  shows: [
    { path: '/?name=Ada', holds: /Svelte greets.*Ada/ },
    { path: '/api/sum', method: 'POST', body: '{"a":2,"b":3}', holds: /"sum":5/, type: /json/ },
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

const FASTIFY: App = {
  name: 'fastify',
  files: {
    'package.json': manifest({ type: 'module', main: 'server.js', dependencies: { fastify: '5.12.8' } }),
    'server.js': `import Fastify from 'fastify'
const app = Fastify()
app.get('/', async () => ({ fastify: true }))
await app.listen({ port: Number(process.env.PORT ?? 3000), host: '0.0.0.0' })
`,
  },
  shows: [{ path: '/', holds: /{"fastify":true}/, type: /json/ }],
}

const HONO: App = {
  name: 'hono',
  files: example('hono'),
  shows: [
    { path: '/', holds: /Hono here/ },
    { path: '/user/7', holds: /{"id":"7"}/ },
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

export const APPS: readonly App[] = [
  PLAIN_API,
  PYTHON,
  VITE_REACT,
  EXPRESS,
  FASTIFY,
  HONO,
  ELEVENTY,
  ASTRO,
  SVELTE_KIT,
  NEXT,
]
