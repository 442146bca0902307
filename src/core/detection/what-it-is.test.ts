import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BuildFailure } from '../build/build-failure.ts'
import { isFilesOnly } from './files-only.ts'
import { type Files, planOf, type TaskChanges } from './plan-testing.ts'

/** In one line: the paths that are served of mere files, what is run, or why it cannot be. */
async function found(files: Files, changes?: TaskChanges): Promise<string> {
  try {
    const plan = await planOf(files, changes)
    const [stage] = plan.stages
    assert.ok(stage)
    const takes = stage.takes.map((take) => {
      switch (take.kind) {
        case 'uploaded':
          return `files ${take.files
            .map(({ path, source }) => (path === source ? path : `${source}→${path}`))
            .sort()
            .join(' ')}`
        case 'server':
          return `${take.runtime} ${take.entries[0]}`
        case 'command':
          return `command ${take.command.at(-1)?.split('\n').at(-1)}`
        case 'functions':
          return `functions ${take.functions.map(({ file }) => file).join(' ')}`
        case 'image':
          return `image ${take.dockerfile}`
        default:
          return take.kind
      }
    })
    const guarded = plan.middleware === undefined ? '' : `, behind ${plan.middleware}`
    assert.equal(isFilesOnly(plan), takes.length === 1 && takes[0]?.startsWith('files') && guarded === '')
    return `${takes.join(', ')}${guarded}`
  } catch (error) {
    if (!(error instanceof BuildFailure)) throw error
    return error.code
  }
}

const WSGI = "def app(environ, start_response):\n    start_response('200 OK', [])\n    return [b'hi']\n"
const SERVER = "const http = require('node:http')\nhttp.createServer((q, r) => r.end('hi')).listen(3000)\n"
const SITE = { 'index.html': '<h1>Hi</h1>', 'app.js': 'document.title = 1' }

/** What files are, by nothing but themselves. */
const TABLE: readonly (readonly [what: string, files: Files, found: string])[] = [
  // Sites
  ['a folder of files', SITE, 'files app.js index.html'],
  ['a file that is no page', { 'data.csv': '1,2' }, 'files data.csv'],
  ['scripts for other pages', { 'lib.js': 'export {}', 'lib.d.ts': '' }, 'files lib.d.ts lib.js'],
  ['a page and a script to download', { ...SITE, 'tool.py': 'print(1)' }, 'files app.js index.html tool.py'],
  [
    'a page with a package.json for tools',
    { ...SITE, 'package.json': { devDependencies: { prettier: '3' } }, 'package-lock.json': '{}' },
    'files app.js index.html',
  ],
  [
    'a page that uses a library of its package.json',
    { ...SITE, 'package.json': { main: 'app.js', dependencies: { three: '1' } } },
    'files app.js index.html',
  ],
  [
    'only public',
    { 'public/index.html': '', 'public/a.css': '', 'package.json': {}, 'vercel.json': {}, 'readme.md': '' },
    'files public/a.css→a.css public/index.html→index.html',
  ],
  ['public without a page', { 'public/a.css': '', 'b.txt': '' }, 'files public/a.css→a.css'],
  [
    'a page beside a folder that happens to be called public',
    { 'index.html': '', 'public/logo.png': '' },
    'files index.html public/logo.png',
  ],
  ['rules for a site', { 'a.html': '', 'vercel.json': { cleanUrls: true } }, 'files a.html'],
  ['nothing but a package.json', { 'package.json': {} }, 'missing_output'],
  // Servers on Node
  [
    'a start script that runs a file',
    { 'package.json': { scripts: { start: 'node server.js' } }, 'server.js': SERVER },
    'node server.js',
  ],
  [
    'a start script beside a page',
    { ...SITE, 'package.json': { scripts: { start: 'node main.mjs' } }, 'main.mjs': SERVER },
    'node main.mjs',
  ],
  [
    'a start script that runs another',
    {
      'package.json': { scripts: { start: 'npm run serve', serve: 'tsx watch src/go.ts' } },
      'src/go.ts': '',
    },
    'node src/go.ts',
  ],
  ...['ts-node --project before.js lib/go.js', 'nodemon --watch src --exec "node --inspect" lib/go.js'].map(
    (start): readonly [string, Files, string] => [
      `a server that is started by ${start}`,
      { 'package.json': { scripts: { start } }, 'before.js': '', 'lib/go.js': SERVER },
      'node lib/go.js',
    ],
  ),
  ...[
    'node --require ./before.js lib/go.js',
    'node -r dotenv/config lib/go',
    'node --import tsx lib/go.js',
  ].map((start): readonly [string, Files, string] => [
    `a server before which something is loaded by ${start}`,
    { 'package.json': { scripts: { start } }, 'before.js': '', 'lib/go.js': SERVER },
    `command ${start}`,
  ]),
  [
    'a server of a usual name before which something is loaded',
    {
      'package.json': { scripts: { start: 'node --import ./before.js server.js' } },
      'before.js': '',
      'server.js': SERVER,
    },
    'node server.js',
  ],
  [
    'a server that is built, and before which something is loaded',
    {
      'package.json': { scripts: { build: 'tsc', start: 'node --require ./dist/before.js dist/go.js' } },
      'lib/go.ts': SERVER,
    },
    'node dist/go.js',
  ],
  [
    'a server that pm2 starts by its configuration',
    {
      'package.json': { scripts: { start: 'pm2-runtime start ecosystem.config.js' } },
      'ecosystem.config.js': 'module.exports = { apps: [] }',
      'server.js': SERVER,
    },
    'node server.js',
  ],
  [
    'a site whose pages are served by Express while somebody writes them',
    {
      'package.json': { scripts: { build: 'webpack' }, devDependencies: { express: '5', webpack: '5' } },
      'src/index.js': "document.body.append('hi')",
    },
    'built',
  ],
  [
    'a server that is bundled with Express',
    {
      'package.json': { scripts: { build: 'esbuild --bundle' }, devDependencies: { express: '5' } },
      'src/main.ts': "import express from 'express'\nexpress().listen(3000)",
    },
    'node dist/main.js',
  ],
  [
    'a start script that runs a program',
    { 'package.json': { scripts: { start: 'micro -p $PORT' }, dependencies: { micro: '10' } }, 'x.js': '' },
    'command micro -p $PORT',
  ],
  ['Express', { 'package.json': { dependencies: { express: '5' } }, 'app.js': '' }, 'node app.js'],
  ['Fastify', { 'package.json': { dependencies: { fastify: '5' } }, 'server.ts': '' }, 'node server.ts'],
  ['Koa', { 'package.json': { dependencies: { koa: '3' } }, 'index.mjs': '' }, 'node index.mjs'],
  ['Hono', { 'package.json': { dependencies: { hono: '4' } }, 'src/index.ts': '' }, 'node src/index.ts'],
  [
    'Nest',
    { 'package.json': { dependencies: { '@nestjs/core': '11' } }, 'src/main.ts': '' },
    'node src/main.ts',
  ],
  ['a main that listens', { 'package.json': { main: 'lib/x.js' }, 'lib/x.js': SERVER }, 'node lib/x.js'],
  ['an index.js that listens, without a package.json', { 'index.js': SERVER }, 'node index.js'],
  ['a server for Bun', { 'index.ts': 'Bun.serve({ fetch: () => new Response() })' }, 'bun index.ts'],
  [
    'a server for Bun by import',
    { 'index.ts': "import { serve } from 'bun'\nBun.serve({})" },
    'bun index.ts',
  ],
  [
    'a server that uses a module of Bun',
    { 'index.ts': `import { Database } from 'bun:sqlite'\n${SERVER}` },
    'bun index.ts',
  ],
  [
    'a server for Node that knows the types of Bun',
    { 'index.ts': `import type { Server } from 'bun'\n${SERVER}` },
    'node index.ts',
  ],
  [
    'a server that Bun starts',
    {
      'package.json': { scripts: { start: 'bun run serve', serve: 'bun --smol run go.ts' } },
      'go.ts': 'export default { fetch: () => new Response(Bun.version) }',
    },
    'bun go.ts',
  ],
  [
    'a server that Node starts by a script that Bun runs',
    { 'package.json': { scripts: { start: 'bun run serve', serve: 'node go.js' } }, 'go.js': SERVER },
    'node go.js',
  ],
  [
    'a server that Node starts after a script that Bun runs',
    {
      'package.json': { scripts: { start: 'bun run styles && node index.js', styles: 'sass .' } },
      'index.js': SERVER,
    },
    'node index.js',
  ],
  // Servers in Python
  [
    'Flask',
    { 'app.py': 'from flask import Flask\napp = Flask(__name__)', 'requirements.txt': 'Flask==3' },
    'python app.py',
  ],
  [
    'FastAPI',
    { 'main.py': 'app = FastAPI()', 'pyproject.toml': 'dependencies = ["fastapi"]' },
    'python main.py',
  ],
  [
    'Flask by its Pipfile',
    { 'server.py': 'app: Flask = make()', Pipfile: '[packages]\nflask = "*"' },
    'python server.py',
  ],
  [
    'Django',
    {
      'manage.py': "os.environ['DJANGO_SETTINGS_MODULE']",
      'shop/wsgi.py': 'application = get()',
      'shop/urls.py': '',
    },
    'python shop/wsgi.py',
  ],
  ['WSGI without any library', { 'app.py': WSGI }, 'python app.py'],
  [
    'functions in Python, one of them WSGI',
    { 'api/hello.py': '', 'api/wsgi.py': WSGI },
    'files , functions api/hello.py api/wsgi.py',
  ],
  ['ASGI', { 'asgi.py': 'async def application(scope, receive, send):\n  pass' }, 'python asgi.py'],
  [
    'an app that is imported',
    { 'wsgi.py': 'from shop.web import make, app', 'shop/web.py': '' },
    'python wsgi.py',
  ],
  [
    'the file that has the app',
    { 'app.py': 'x = 1', 'main.py': WSGI, 'requirements.txt': 'flask' },
    'python main.py',
  ],
  // Functions
  ['functions', { ...SITE, 'api/a.js': '' }, 'files app.js index.html, functions api/a.js'],
  [
    'functions and what they import',
    { 'index.html': '', 'api/a.py': '', 'lib/db.py': '', 'lib/b.ts': '', 'requirements.txt': 'flask' },
    'files index.html, functions api/a.py',
  ],
  ...['vercel dev', 'serve -l 5000', 'live-server', 'gulp watch', 'npm run dev'].map(
    (start) =>
      [
        `functions of which ${start} is a preview`,
        { 'index.html': '', 'api/a.js': '', 'package.json': { scripts: { start, dev: 'vercel dev' } } },
        'files index.html, functions api/a.js',
      ] as const,
  ),
  [
    'functions that use the library of a server',
    {
      'index.html': '',
      'api/a.js': "module.exports = require('express')()",
      'package.json': { scripts: { start: 'vercel dev' }, dependencies: { express: '5' } },
    },
    'files index.html, functions api/a.js',
  ],
  [
    'a server in a file of its own beside a folder called api',
    {
      'api/a.js': '',
      'package.json': { scripts: { start: 'nodemon lib/go.js' } },
      'lib/go.js': SERVER,
    },
    'node lib/go.js',
  ],
  [
    'a file that a script makes before it starts it, beside a folder called api',
    {
      'api/a.ts': '',
      'package.json': { scripts: { prestart: 'tsc', start: 'node bin/go.js' } },
    },
    'command node bin/go.js',
  ],
  ...['node .', 'npm run build && node .', 'node --env-file .env lib/go.js', 'bun .', 'sh bin/go.sh'].map(
    (start) =>
      [
        `a program that is started by ${start}, beside a folder called api`,
        { 'api/a.js': '', 'lib/go.js': SERVER, 'package.json': { scripts: { start } } },
        `command ${start}`,
      ] as const,
  ),
  // Programs that cannot be run
  ['Go', { 'go.mod': 'module x', 'main.go': '' }, 'unknown_program'],
  ['Go with a page', { 'go.mod': '', 'main.go': '', 'index.html': '' }, 'unknown_program'],
  ['Go with assets', { 'go.mod': '', 'public/index.html': '' }, 'unknown_program'],
  ['Rust', { 'Cargo.toml': '', 'src/main.rs': '' }, 'unknown_program'],
  ['Ruby', { Gemfile: '', 'config.ru': '' }, 'unknown_program'],
  ['PHP', { 'index.php': '<?php' }, 'unknown_program'],
  ['PHP by its manifest', { 'composer.json': {}, 'src/a.php': '' }, 'unknown_program'],
  ['Java', { 'pom.xml': '' }, 'unknown_program'],
  ['.NET', { 'shop.csproj': '' }, 'unknown_program'],
  ['an image', { Dockerfile: 'FROM scratch', 'x.conf': '' }, 'unknown_program'],
  ['a script in Python', { 'run.py': 'print(1)' }, 'unknown_program'],
  [
    'a script with requirements',
    { 'index.html': '', 'src/run.py': '', 'requirements.txt': 'numpy' },
    'unknown_program',
  ],
  ['Flask without a file for it', { 'requirements.txt': 'flask' }, 'missing_entry'],
  [
    'a package with nothing to run',
    { 'package.json': { dependencies: { lodash: '4' } }, 'x.js': '' },
    'unknown_program',
  ],
  [
    'a library',
    { 'package.json': { main: 'index.js' }, 'index.js': 'module.exports = 1' },
    'unknown_program',
  ],
  // Functions that cannot be run
  ['a function in Go', { 'index.html': '', 'api/hello.go': '' }, 'unknown_program'],
  ['a function in Ruby', { 'index.html': '', 'api/users/[id].rb': '' }, 'unknown_program'],
  ['a function in Rust', { 'api/hello.rs': '' }, 'unknown_program'],
  ['a function in PHP beside others', { 'api/a.php': '', 'api/b.js': '' }, 'unknown_program'],
  [
    'a function in Go beside a framework',
    { 'package.json': { devDependencies: { vite: '7' } }, 'api/hello.go': '' },
    'unknown_program',
  ],
  [
    'what functions in Go import, and their tests',
    { 'index.html': '', 'api/_lib/a.go': '', 'api/a_test.go': '', 'api/b.js': '' },
    'files index.html, functions api/b.js',
  ],
  [
    'a server with Ruby among its files',
    { 'package.json': { dependencies: { express: '5' } }, 'app.js': '', 'api/a.rb': '' },
    'node app.js',
  ],
  ['TypeScript alone', { 'index.ts': 'export const x = 1' }, 'unknown_program'],
  [
    'several packages',
    { 'package.json': { workspaces: ['apps/*'] }, 'apps/web/package.json': {}, 'apps/web/x.ts': '' },
    'unknown_program',
  ],
  // Middleware
  [
    'a middleware before a site',
    { ...SITE, 'middleware.js': '' },
    'files app.js index.html, behind middleware.js',
  ],
  [
    'a middleware beside public',
    { 'public/a.html': '', 'middleware.ts': '' },
    'files public/a.html→a.html, behind middleware.ts',
  ],
  [
    'a middleware before a framework',
    { 'package.json': { devDependencies: { vite: '7' } }, 'middleware.ts': '' },
    'built, behind middleware.ts',
  ],
  [
    'the middleware of Next.js',
    { 'package.json': { dependencies: { next: '15' } }, 'middleware.ts': '' },
    'build-output',
  ],
  [
    'a part of a server that is called middleware',
    {
      'package.json': { dependencies: { express: '5' } },
      'app.js': '',
      'middleware.js': 'module.exports = { auth }',
    },
    'node app.js',
  ],
  [
    'a middleware before a server',
    {
      'package.json': { dependencies: { express: '5' } },
      'app.js': '',
      'middleware.js': 'export default function middleware(request) {}',
    },
    'node app.js, behind middleware.js',
  ],
]
for (const [what, files, answer] of TABLE)
  test(`detection: ${what}`, async () => assert.equal(await found(files), answer))

/** What the project, the request or the file says comes before what is found out. */
const SAID: readonly (readonly [what: string, files: Files, changes: TaskChanges, found: string])[] = [
  [
    'an output directory publishes anything as it is',
    { 'go.mod': '', 'site/a.html': '' },
    { settings: { outputDirectory: 'site' } },
    'files site/a.html→a.html',
  ],
  [
    'so does one in the file, also of everything',
    { 'app.py': WSGI, 'requirements.txt': 'flask', 'vercel.json': { framework: null, outputDirectory: '.' } },
    {},
    'files app.py requirements.txt vercel.json',
  ],
  [
    'functions in other languages as files',
    { 'api/a.rb': '', 'index.html': '' },
    { settings: { outputDirectory: '.' } },
    'files api/a.rb index.html',
  ],
  [
    'and the same as a setting of the project',
    { 'package.json': { scripts: { start: 'node x.js' } }, 'x.js': SERVER },
    { settings: { outputDirectory: '.' } },
    'files package.json x.js',
  ],
  [
    'builds of the file',
    { 'go.mod': '', 'vercel.json': { builds: [{ src: '**', use: '@aloft/static' }] } },
    {},
    'files go.mod vercel.json',
  ],
  [
    'an older client that says STATIC',
    { 'app.py': WSGI, 'vercel.json': 'no JSON' },
    { deployment: { requestedType: 'STATIC' } },
    'files app.py vercel.json',
  ],
  [
    'a root directory: its own package decides',
    { 'package.json': { workspaces: ['apps/*'] }, 'apps/web/package.json': { scripts: { build: 'x' } } },
    { settings: { rootDirectory: 'apps/web' } },
    'built',
  ],
  [
    'a root directory of files',
    { 'go.mod': '', 'docs/index.html': '', 'docs/a.css': '' },
    { settings: { rootDirectory: 'docs' } },
    'files docs/a.css→a.css docs/index.html→index.html',
  ],
  [
    'a root directory with an output directory',
    { 'docs/site/index.html': '', 'docs/x.md': '' },
    { settings: { rootDirectory: 'docs', outputDirectory: 'site' } },
    'files docs/site/index.html→index.html',
  ],
  ['a build command', { 'a.md': '' }, { settings: { buildCommand: 'make site' } }, 'built'],
  ['a framework', { 'a.md': '' }, { settings: { framework: 'hugo' } }, 'built'],
  ['a Docker Engine', { Dockerfile: '', 'go.mod': '' }, { docker: true }, 'image Dockerfile'],
  [
    'a Docker Engine for a program that has a folder called api',
    { Dockerfile: '', 'main.go': '', 'api/routes.go': '' },
    { docker: true },
    'image Dockerfile',
  ],
  [
    'a Docker Engine for what runs without one',
    { Dockerfile: '', 'package.json': { scripts: { start: 'node a.js' } }, 'a.js': '' },
    { docker: true },
    'node a.js',
  ],
]
for (const [what, files, changes, answer] of SAID)
  test(`detection: ${what}`, async () => assert.equal(await found(files, changes), answer))

test('a program that cannot be run is told with what to do', async () => {
  const message = async (files: Files) => {
    const error = await planOf(files).then(
      () => assert.fail('it should not be known'),
      (reason: unknown) => reason,
    )
    assert.ok(error instanceof BuildFailure)
    return error.message
  }
  assert.match(
    await message({ 'go.mod': '' }),
    /program written in Go \(go\.mod\).*Dockerfile.*outputDirectory/s,
  )
  assert.match(
    await message({ Dockerfile: '', 'main.go': '', 'api/routes.go': '' }),
    /an image \(Dockerfile\).*ALOFT_RUNTIME=docker/s,
  )
  assert.match(
    await message({ 'package.json': { workspaces: [] }, 'apps/web/package.json': {} }),
    /root directory .* apps\/web/,
  )
  assert.match(await message({ 'package.json': { dependencies: { a: '1' } } }), /`start` script/)
})

test('keys of the configuration file that do nothing are told of', async () => {
  const { warnings } = await planOf({
    'a.html': '',
    'vercel.json': { $schema: 'x', version: 2, headers: [], fluid: true, rewirtes: [], cleanUrls: true },
  })
  assert.equal(warnings.length, 2)
  assert.match(
    warnings[0] ?? '',
    /^Warning: vercel\.json: `fluid` is not supported\. An instance always handles several/,
  )
  assert.match(warnings[1] ?? '', /^Warning: vercel\.json: `rewirtes` is unknown/)
})

test('dependencies in Python are installed from the list that says most exactly what is meant', async () => {
  const list = async (files: Files) => (await planOf({ 'app.py': WSGI, ...files })).stages[0]?.python[0]?.list
  const pyproject = { 'pyproject.toml': '[project]\ndependencies = ["flask"]' }
  assert.equal(await list(pyproject), 'pyproject.toml')
  assert.equal(await list({ ...pyproject, 'uv.lock': '' }), 'uv.lock')
  assert.equal(await list({ ...pyproject, 'uv.lock': '', 'requirements.txt': 'flask' }), 'requirements.txt')
  assert.equal(await list({ Pipfile: '' }), 'Pipfile')
  assert.equal(await list({ Pipfile: '', 'Pipfile.lock': '{}' }), 'Pipfile.lock')
  assert.equal(await list({}), undefined)
  const [stage] = (await planOf({ 'api/a.py': '', Pipfile: '' })).stages
  assert.deepEqual(stage?.python, [{ folder: '', list: 'Pipfile' }])
})

test('dependencies in Python are installed from the list that is nearest to the file that needs them', async () => {
  const lists = async (files: Files, changes?: TaskChanges) =>
    (await planOf(files, changes)).stages.map(({ python }) => python)
  const nested = { 'api/index.py': WSGI, 'api/requirements.txt': 'flask' }
  assert.deepEqual(await lists(nested), [[{ folder: '', list: 'api/requirements.txt' }]])
  const both = { ...nested, 'api/v1/a/b.py': '', 'api/v1/uv.lock': '', 'api/c.py': '', Pipfile: '' }
  assert.deepEqual(await lists(both), [
    [
      { folder: '', list: 'api/requirements.txt' },
      { folder: '', list: 'api/v1/uv.lock' },
    ],
  ])
  assert.deepEqual(await lists({ 'api/index.js': '', 'api/requirements.txt': '', 'index.html': '' }), [[]])
  const server = { 'app/main.py': WSGI, 'app/requirements.txt': '' }
  assert.deepEqual(await lists(server), [[{ folder: '', list: 'app/requirements.txt' }]])
  const built = {
    'web/backend/main.py': WSGI,
    'web/backend/requirements.txt': 'flask',
    'web/vercel.json': { builds: [{ src: 'backend/main.py', use: '@vercel/python' }] },
  }
  assert.deepEqual(await lists(built, { settings: { rootDirectory: 'web' } }), [
    [{ folder: 'web', list: 'backend/requirements.txt' }],
  ])
})

test('Node: package.json, then .nvmrc, then .node-version, then the setting, and it is told where they differ', async () => {
  const node = async (files: Files, changes?: TaskChanges) => {
    const { nodeVersion, warnings } = await planOf({ 'a.html': '', ...files }, changes)
    return [nodeVersion, warnings.length]
  }
  const pkg = (range: string) => ({ 'package.json': { engines: { node: range } } })
  assert.deepEqual(await node({}), ['20.x', 0])
  assert.deepEqual(await node({ '.nvmrc': 'v22.11.0\n' }), ['22.x', 1])
  assert.deepEqual(await node({ '.nvmrc': '# mine\n\nlts/iron\n' }), ['20.x', 0])
  assert.deepEqual(await node({ '.nvmrc': '22', '.node-version': '18.3.0' }), ['22.x', 2])
  assert.deepEqual(await node({ ...pkg('>=18'), '.nvmrc': '22' }), ['24.x', 0])
  assert.deepEqual(await node({ ...pkg('24.x'), '.nvmrc': '22' }), ['24.x', 2])
  assert.deepEqual(await node({ '.node-version': '24' }, { settings: { nodeVersion: '24.x' } }), ['24.x', 0])
  await assert.rejects(node(pkg('6')), { code: 'invalid_node_version', message: /package\.json requests/ })
})

test('a version manager that asks for a Node that is not offered is told of, and the next one counts', async () => {
  const { nodeVersion, warnings } = await planOf({ 'index.html': '', '.nvmrc': 'v23.1.0' })
  assert.equal(nodeVersion, '20.x')
  assert.match(String(warnings), /^Warning: \.nvmrc requests Node "v23\.1\.0"; available: [^;]*24\.x[^;]*\.$/)
  const both = await planOf({ 'index.html': '', '.nvmrc': '6', '.node-version': '22' })
  assert.deepEqual([both.nodeVersion, both.warnings.length], ['22.x', 2])
})
