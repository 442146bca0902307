import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { mergedRoutes } from './config/route-rules.ts'
import type { Stage, Take } from './plan.ts'
import { builtBy, type Files, planOf, runOf, type TaskChanges } from './plan-testing.ts'

async function stageOf(files: Files, changes?: TaskChanges): Promise<Stage> {
  const { stages } = await planOf(files, changes)
  assert.equal(stages.length, 1)
  return stages[0] as Stage
}

function taken<K extends Take['kind']>({ takes }: Stage, kind: K): Take & { kind: K } {
  const found = takes.find((take) => take.kind === kind)
  assert.ok(found, `nothing of kind ${kind} is taken, but ${takes.map((take) => take.kind).join(', ')}`)
  return found as Take & { kind: K }
}

const uploaded = (stage: Stage) =>
  taken(stage, 'uploaded')
    .files.map(({ path }) => path)
    .sort()

const vite: Files = {
  'package.json': { scripts: { build: 'vite build' }, devDependencies: { vite: '7' } },
  'index.html': '',
  'public/robots.txt': '',
}

test('a framework is installed, built, and its folder is served', async () => {
  const plan = await planOf(vite)
  const [stage] = plan.stages
  assert.ok(stage)
  assert.deepEqual(plan.notes, ['Detected Vite'])
  assert.deepEqual(stage.installs, [{ folder: '', command: null }])
  assert.deepEqual(stage.build, { kind: 'script', script: 'build' })
  const { folders, optional } = taken(stage, 'built')
  assert.equal(folders[0], 'dist')
  assert.equal(optional, false)
  assert.equal(folders.includes('public'), false, 'the source of a framework is not its output')
})

test('without a script the command of the framework runs', async () => {
  const stage = await stageOf({ 'package.json': { devDependencies: { astro: '5' } } })
  assert.deepEqual(stage.build, { kind: 'line', line: 'astro build' })
})

test('a script of the platform is preferred to `build`', async () => {
  const scripts = { build: 'a', 'now-build': 'b', 'vercel-build': 'c' }
  assert.deepEqual((await stageOf({ 'package.json': { scripts } })).build, {
    kind: 'script',
    script: 'vercel-build',
  })
})

test('settings of the project overrule what is found, and those of the file the settings of the project', async () => {
  const settings = {
    buildCommand: 'make',
    outputDirectory: 'web/',
    installCommand: 'make deps',
    framework: null,
  }
  const stage = await stageOf(vite, { settings })
  assert.deepEqual(stage.build, { kind: 'line', line: 'make' })
  assert.deepEqual(stage.installs, [{ folder: '', command: 'make deps' }])
  assert.deepEqual(taken(stage, 'built').folders, ['web'])
  const file = { ...vite, 'vercel.json': { buildCommand: '', outputDirectory: './site', installCommand: '' } }
  const overruled = await stageOf(file, { settings })
  assert.equal(overruled.build, undefined)
  assert.deepEqual(overruled.installs, [{ folder: '', command: '' }])
  assert.deepEqual(taken(overruled, 'built').folders, ['site'])
})

test('a framework that is named counts, and null in the file is none', async () => {
  const named = await stageOf({ 'package.json': {} }, { settings: { framework: 'eleventy' } })
  assert.deepEqual(named.build, { kind: 'line', line: 'npx @11ty/eleventy' })
  const none = await planOf({ ...vite, 'vercel.json': { framework: null } })
  assert.deepEqual(none.notes, [])
})

test('an output directory outside is refused', async () => {
  await assert.rejects(planOf(vite, { settings: { outputDirectory: '../x' } }), { code: 'invalid_config' })
})

test('without a build, files are served as they are and api holds functions', async () => {
  const files = {
    'index.html': '',
    'img/a.png': '',
    'api/hello.js': '',
    'api/_lib.js': '',
    'api/users/[id].ts': '',
    'package.json': { dependencies: { lodash: '4' } },
    'vercel.json': {},
    '.env': 'SECRET=1',
    '.git/config': '',
    'node_modules/x/index.js': '',
  }
  const stage = await stageOf(files)
  assert.deepEqual(uploaded(stage), ['img/a.png', 'index.html'])
  const { functions, routes } = taken(stage, 'functions')
  assert.deepEqual(
    functions.map(({ file }) => file),
    ['api/hello.js', 'api/users/[id].ts'],
  )
  assert.deepEqual(routes[0], { handle: 'filesystem' })
  assert.equal(routes.length, 2)
  assert.equal(stage.build, undefined)
  assert.deepEqual(stage.installs, [{ folder: '', command: null }])
})

test('functions below api have the packages of the nearest package.json, each once', async () => {
  const files = {
    'api/a.js': '',
    'api/v1/b.ts': '',
    'api/v1/package.json': { dependencies: { ms: '2' } },
    'api/package.json': { dependencies: { lodash: '4' } },
    'api/_lib/package.json': { dependencies: { x: '1' } },
    'index.html': '',
  }
  const own = ['api', 'api/v1'].map((folder) => ({ folder, command: null }))
  assert.deepEqual((await stageOf(files)).installs, own)
  const top = { ...files, 'hi.js': '', 'package.json': { scripts: { build: 'x' } } }
  assert.deepEqual((await stageOf(top, { settings: { installCommand: 'make deps' } })).installs, [
    { folder: '', command: 'make deps' },
    ...own,
  ])
  const angular = {
    'package.json': { scripts: { build: 'ng build' }, devDependencies: { '@angular/cli': '22' } },
    'angular.json': { projects: { shop: { architect: { build: { options: { ssr: { entry: 's.ts' } } } } } } },
  }
  assert.deepEqual((await stageOf({ ...files, ...angular })).installs, [
    { folder: '', command: null },
    ...own,
  ])
  const express = { 'package.json': { dependencies: { express: '5' } }, 'app.js': "require('express')" }
  assert.deepEqual((await stageOf({ ...files, ...express })).installs, [{ folder: '', command: null }])
})

test('a folder called node_modules is served where it is not that of a package', async () => {
  const files = {
    'index.html': '',
    'assets/node_modules/icons/a.ttf': '',
    'assets/lib/package.json': {},
    'assets/lib/node_modules/x/index.js': '',
    'node_modules/x/index.js': '',
  }
  assert.deepEqual(uploaded(await stageOf(files)), [
    ...['assets/lib/package.json', 'assets/node_modules/icons/a.ttf', 'index.html'],
  ])
})

test('a folder called public is the site, where nothing is built', async () => {
  assert.deepEqual(uploaded(await stageOf({ 'public/index.html': '', 'readme.md': '', 'api/a.js': '' })), [
    'index.html',
  ])
})

test('an output directory that nobody builds has to be there', async () => {
  const settings = { outputDirectory: 'site' }
  assert.deepEqual(uploaded(await stageOf({ 'site/a.html': '', 'b.html': '' }, { settings })), ['a.html'])
  await assert.rejects(planOf({ 'b.html': '' }, { settings }), { code: 'missing_output' })
})

test('a build without a framework may leave its files in any common folder, new ones first', async () => {
  const stage = await stageOf({
    'package.json': { scripts: { build: 'x' } },
    'public/a.txt': '',
    'build/tool.js': '',
  })
  const { folders } = taken(stage, 'built')
  assert.equal(folders[0], 'dist')
  assert.deepEqual(folders.slice(-2), ['public', 'build'])
})

test('beside functions a folder called public is the site, whatever else is built', async () => {
  const files = { 'package.json': { scripts: { build: 'tsc -p .' } }, 'public/index.html': '' }
  const { folders } = taken(await stageOf({ ...files, 'api/hello.ts': '' }), 'built')
  assert.equal(folders[0], 'public')
  const template = taken(await stageOf(files), 'built')
  assert.equal(template.folders[0], 'dist')
  assert.equal(template.folders.at(-1), 'public')
})

test('a build beside functions need not leave files', async () => {
  const stage = await stageOf({ 'package.json': { scripts: { build: 'x' } }, 'api/a.js': '' })
  assert.equal(taken(stage, 'built').optional, true)
  assert.equal(taken(stage, 'functions').functions.length, 1)
})

test('functions come before the page that a framework has for every path', async () => {
  const stage = await stageOf({
    'package.json': { devDependencies: { '@vue/cli-service': '5' } },
    'api/[id].js': '',
  })
  const own = [taken(stage, 'functions').routes, taken(stage, 'built').routes]
  const routes = (await mergedRoutes(undefined, own)) ?? []
  const at = (part: object) => routes.findIndex((route) => isDeepStrictEqual({ ...route, ...part }, route))
  const [one, none, page] = [at({ check: true }), at({ status: 404 }), at({ dest: '/index.html' })]
  assert.ok(one !== -1 && one < none && none < page, JSON.stringify(routes))
})

const SERVERS: readonly (readonly [string, Files, string])[] = [
  [
    'Express',
    { 'package.json': { dependencies: { express: '5' } }, 'index.js': "require('express')" },
    'index.js',
  ],
  [
    'Fastify',
    { 'package.json': { dependencies: { fastify: '5' } }, 'src/server.ts': "import 'fastify'" },
    'src/server.ts',
  ],
  [
    'a start script',
    { 'package.json': { scripts: { start: 'node --trace-warnings ./bin/www' } }, 'bin/www.js': '' },
    'bin/www.js',
  ],
  [
    'its main',
    { 'package.json': { main: 'lib/x.js', dependencies: { ws: '8' } }, 'lib/x.js': '' },
    'lib/x.js',
  ],
  ['a file called server', { 'package.json': {}, 'server.mjs': '' }, 'server.mjs'],
  ['Koa in app.js', { 'package.json': { dependencies: { koa: '3' } }, 'app.js': "require('koa')" }, 'app.js'],
]
for (const [what, files, entry] of SERVERS)
  test(`a server is known by ${what}`, async () => {
    const { runtime, entries, root } = taken(await stageOf(files), 'server')
    assert.deepEqual([runtime, entries[0], root], ['node', entry, ''])
  })

test('a server that is compiled starts from what its build makes', async () => {
  const { entries } = taken(
    await stageOf({
      'package.json': {
        scripts: { build: 'nest build', start: 'node dist/main' },
        dependencies: { '@nestjs/core': '11' },
      },
      'src/main.ts': "import { NestFactory } from '@nestjs/core'",
    }),
    'server',
  )
  assert.equal(entries[0], 'dist/main.js')
  assert.equal(entries.at(-1), 'src/main.ts')
})

test('a package that only has a main is no server', async () => {
  const stage = await stageOf({ 'package.json': { main: 'index.js' }, 'index.js': '', 'index.html': '' })
  assert.equal(
    stage.takes.some(({ kind }) => kind === 'server'),
    false,
  )
})

test('a Python server is known by its requirements', async () => {
  const stage = await stageOf({ 'requirements.txt': 'fastapi', 'main.py': 'app = 1' })
  assert.deepEqual(taken(stage, 'server').entries, ['main.py'])
  await assert.rejects(planOf({ 'requirements.txt': 'flask' }), { code: 'missing_entry' })
})

test('Python in api is made of functions, whatever library they use', async () => {
  const stage = await stageOf({ 'requirements.txt': 'flask', 'api/a.py': '', 'index.html': '' })
  assert.deepEqual(
    taken(stage, 'functions').functions.map(({ file }) => file),
    ['api/a.py'],
  )
  assert.deepEqual(stage.python, [{ folder: '', list: 'requirements.txt' }])
  assert.deepEqual(uploaded(stage), ['index.html'])
})

test('packages are installed for every function, however many lists there are', async () => {
  const folders = Array.from({ length: 40 }, (_, n) => `api/${n}`)
  const stage = await stageOf(
    Object.fromEntries(
      folders.flatMap((folder) => [
        ...[`${folder}/a.js`, `${folder}/package.json`].map((path) => [path, '{}'] as const),
        ...[`${folder}/b.py`, `${folder}/requirements.txt`].map((path) => [path, ''] as const),
      ]),
    ),
  )
  assert.deepEqual(stage.installs.map(({ folder }) => folder).toSorted(), folders.toSorted())
  assert.equal(stage.python.length, folders.length)
})

test('Angular is a server where its workspace says that pages are rendered on one', async () => {
  const angular = (options: object, more: object = {}) =>
    stageOf({
      'package.json': { scripts: { build: 'ng build' }, devDependencies: { '@angular/cli': '22' } },
      'angular.json': { projects: { shop: { architect: { build: { options, ...more } } } } },
      'api/time.js': '',
    })
  const ssr = { entry: 'src/server.ts' }
  const stage = await angular({ ssr, outputMode: 'server' })
  const server = taken(stage, 'server')
  assert.deepEqual(server.entries, ['dist/shop/server/server.mjs'])
  assert.equal(server.publicFolder, 'dist/shop/browser')
  assert.deepEqual(server.env, { NG_ALLOWED_HOSTS: '*' })
  assert.deepEqual(
    taken(stage, 'functions').functions.map(({ file }) => file),
    ['api/time.js'],
  )
  const outputPath = { base: 'out', server: 'back', browser: '' }
  const elsewhere = taken(await angular({ outputPath }, configured({ ssr })), 'server')
  assert.deepEqual([elsewhere.entries, elsewhere.publicFolder], [['out/back/server.mjs'], 'out'])
  for (const options of [{}, { ssr: true }, { ssr: false }, { ssr, outputMode: 'static' }]) {
    const { folders } = taken(await angular(options), 'built')
    assert.deepEqual(folders.slice(0, 2), ['dist/shop/browser', 'dist/shop'])
  }
})

const configured = (production: object) => ({
  configurations: { production },
  defaultConfiguration: 'production',
})

test('Next.js is built by the CLI', async () => {
  const stage = await stageOf(
    { 'package.json': { dependencies: { next: '16' } } },
    { settings: { buildCommand: 'x' } },
  )
  assert.deepEqual(stage.build, {
    kind: 'cli',
    framework: 'nextjs',
    buildCommand: 'x',
    outputDirectory: null,
    without: [],
  })
  assert.deepEqual(stage.takes, [{ kind: 'build-output', folder: '' }])
  assert.deepEqual(stage.caches, ['.next/cache'])
})

test('functions in Python beside Next.js are taken before the CLI, which does not see them', async () => {
  const files = {
    'package.json': { dependencies: { next: '16' } },
    'requirements.txt': 'fastapi',
    'api/index.py': '',
    'api/items/[id].py': '',
    'api/hello.js': '',
  }
  const [python, next, ...others] = (await planOf(files)).stages
  assert.deepEqual([python?.build, python?.installs, others], [undefined, [], []])
  assert.deepEqual(python?.python, [{ folder: '', list: 'requirements.txt' }])
  const [take] = python?.takes ?? []
  assert.deepEqual(take?.kind === 'functions' && take.functions.map(({ file }) => file), [
    ...['api/index.py', 'api/items/[id].py'],
  ])
  assert.deepEqual(next?.build?.kind === 'cli' && next.build.without, ['api/index.py', 'api/items/[id].py'])
})

test('caches of a framework are folders', async () => {
  const stage = await stageOf({ 'package.json': { dependencies: { gatsby: '5' } } })
  assert.deepEqual(stage.caches, ['.cache', 'public'])
})

test('what was built elsewhere is taken without a command', async () => {
  const files = { '.vercel/output/config.json': { version: 3 }, '.vercel/output/static/index.html': '' }
  const plan = await planOf(files)
  assert.deepEqual(plan.stages[0]?.takes, [{ kind: 'build-output', folder: '' }])
  assert.equal(plan.hidden('.vercel/output/config.json'), false)
})

test('the output of an earlier build that came with the source is not seen', async () => {
  const plan = await planOf({ ...vite, '.vercel/output/config.json': '{}' })
  assert.equal(plan.hidden('.vercel/output/config.json'), true)
  assert.equal(plan.hidden('.vercel/outputs.txt'), false)
})

test('what was built elsewhere of a part of a repository is taken from its top', async () => {
  const files = { '.vercel/output/config.json': { version: 3 }, '.vercel/output/static/index.html': '' }
  const settings = { rootDirectory: 'apps/web' }
  const plan = await planOf({ ...files, 'apps/web/.next/server/pages/a.js': '' }, { settings })
  assert.deepEqual(plan.stages[0]?.takes, [{ kind: 'build-output', folder: '' }])
  assert.equal(plan.hidden('apps/web/.next/server/pages/a.js'), false)
  assert.equal(plan.hidden('.vercel/output/config.json'), false)
  const source = { ...files, 'apps/web/package.json': { scripts: { build: 'x' } } }
  assert.equal((await planOf(source, { settings })).root, 'apps/web')
  await assert.rejects(planOf({ 'index.html': '' }, { settings }), { code: 'invalid_root_directory' })
})

test('the root directory is where everything is looked for', async () => {
  const files = {
    'apps/web/package.json': vite['package.json'],
    'package.json': { private: true },
    'x.txt': '',
  }
  const settings = { rootDirectory: './apps/web/', sourceFilesOutsideRootDirectory: false }
  const plan = await planOf(files, { settings })
  assert.equal(plan.root, 'apps/web')
  assert.equal(plan.stages[0]?.folder, 'apps/web')
  assert.deepEqual(plan.stages[0]?.installs, [{ folder: 'apps/web', command: null }])
  assert.equal(plan.hidden('x.txt'), true)
  assert.equal(plan.hidden('apps/web/package.json'), false)
  assert.equal((await planOf(files, { settings: { rootDirectory: 'apps/web' } })).hidden('x.txt'), false)
  for (const rootDirectory of ['../x', 'apps/none', '/etc'])
    await assert.rejects(planOf(files, { settings: { rootDirectory } }), { code: 'invalid_root_directory' })
})

const ofSeveral = async (files: Files, settings: TaskChanges['settings'] = {}) =>
  (
    await stageOf(
      { 'apps/web/package.json': { ...(vite['package.json'] as object), name: '@repo/web' }, ...files },
      { settings: { rootDirectory: 'apps/web', ...settings } },
    )
  ).build

const turbo = (version: string): Files => ({
  'package.json': { devDependencies: { turbo: version } },
  'turbo.json':
    '// All of them.\n{ "$schema": "https://a/b", "tasks": { "build": { "dependsOn": ["^build"] }, } }',
})
const alone = { kind: 'script', script: 'build' }

test('Turborepo builds a package after those that it needs', async () => {
  const newer = { kind: 'line', line: 'turbo run build' }
  const older = { kind: 'line', line: 'cd ../.. && turbo run build --filter={apps/web}...' }
  assert.deepEqual(await ofSeveral(turbo('^2.5.0')), newer)
  assert.deepEqual(await ofSeveral(turbo('^1.7.0')), older)
  assert.deepEqual(await ofSeveral(turbo('latest')), older)
  assert.deepEqual(await ofSeveral(turbo('catalog:')), older)
  const { 'turbo.json': text, ...rest } = turbo('2.1.0')
  assert.deepEqual(await ofSeveral({ ...rest, 'turbo.jsonc': text }), newer)
  assert.deepEqual(await ofSeveral({ ...rest, 'turbo.json': { pipeline: { build: {} } } }), newer)
})

test('a package of a repository is built alone where somebody says so, or Turborepo does not build it', async () => {
  const line = 'vite build --base /x'
  assert.deepEqual(await ofSeveral(turbo('2.1.0'), { buildCommand: line }), { kind: 'line', line })
  assert.equal(await ofSeveral(turbo('2.1.0'), { buildCommand: '' }), undefined)
  assert.deepEqual(await ofSeveral(turbo('2.1.0'), { sourceFilesOutsideRootDirectory: false }), alone)
  assert.deepEqual(await ofSeveral({ ...turbo('2.1.0'), 'turbo.json': { tasks: { lint: {} } } }), alone)
  assert.deepEqual(await ofSeveral({ ...turbo('2.1.0'), 'turbo.json': '{' }), alone)
  assert.deepEqual(await ofSeveral({ ...turbo('2.1.0'), 'package.json': {} }), alone)
  const scripts = { build: 'x', 'vercel-build': 'y' }
  assert.deepEqual(await ofSeveral({ ...turbo('2.1.0'), 'apps/web/package.json': { scripts } }), {
    kind: 'script',
    script: 'vercel-build',
  })
  const stage = await stageOf({ ...vite, ...turbo('2.1.0'), 'package.json': vite['package.json'] })
  assert.deepEqual(stage.build, alone)
})

test('the CLI is given the line of Turborepo, which it looks for only on its own platform', async () => {
  const next = { scripts: { build: 'next build' }, dependencies: { next: '16' } }
  const build = await ofSeveral({ ...turbo('2.1.0'), 'apps/web/package.json': next })
  assert.equal(build?.kind === 'cli' && build.buildCommand, 'turbo run build')
})

test('Nx builds a package by its name where it has a target for that', async () => {
  const nx = { targetDefaults: { build: { dependsOn: ['^build'] } } }
  const line = (name: string) => ({ kind: 'line', line: `cd ../.. && npx nx build ${name}` })
  assert.deepEqual(await ofSeveral({ 'nx.json': nx }), line('@repo/web'))
  assert.deepEqual(
    await ofSeveral({ 'nx.json': nx, 'apps/web/project.json': { name: 'shop' } }),
    line('shop'),
  )
  const project = { targets: { build: {} } }
  assert.deepEqual(await ofSeveral({ 'nx.json': {}, 'apps/web/project.json': project }), line('@repo/web'))
  const own = { nx: { name: 'mine', targets: { build: {} } } }
  assert.deepEqual(await ofSeveral({ 'nx.json': {}, 'apps/web/package.json': own }), line('mine'))
  assert.deepEqual(await ofSeveral({ 'nx.json': {} }), alone)
  const bare = { 'apps/web/package.json': { name: '@repo/web' }, 'apps/web/index.html': '' }
  assert.equal(await ofSeveral({ ...bare, 'nx.json': nx }), undefined)
  const plugins = ['@nx/vite/plugin']
  assert.deepEqual(await ofSeveral({ ...bare, 'nx.json': { ...nx, plugins } }), line('@repo/web'))
  const odd = { name: 'a; curl b', targets: { build: {} } }
  assert.deepEqual(await ofSeveral({ 'nx.json': {}, 'apps/web/project.json': odd }), alone)
})

test('the version of Node: package.json, then the request, then the project', async () => {
  const node = async (engines: object, changes?: TaskChanges) =>
    (await planOf({ 'package.json': { scripts: { build: 'x' }, engines } }, changes)).nodeVersion
  assert.equal(await node({ node: '>=18 <21' }, { deployment: { nodeVersion: '16.20.2' } }), '20.x')
  assert.equal(await node({}, { deployment: { nodeVersion: '8.10.0' } }), '8.10.x')
  assert.equal(await node({}, { settings: { nodeVersion: '22.x' } }), '22.x')
  await assert.rejects(node({ node: '6' }), { code: 'invalid_node_version' })
})

test('the request decides on routes, then the file', async () => {
  const files = { 'a.html': '', 'vercel.json': { routes: [{ src: '/f', dest: '/a.html' }] } }
  assert.deepEqual((await planOf(files)).routes, [{ src: '^/f$', dest: '/a.html' }])
  const routes = [{ src: '/r', dest: '/a.html' }]
  assert.deepEqual((await planOf(files, { deployment: { routes } })).routes, [
    { src: '^/r$', dest: '/a.html' },
  ])
})

test('the ignore command of the file is preferred to that of the project', async () => {
  const settings = { commandForIgnoringBuildStep: 'exit 1' }
  assert.equal((await planOf(vite, { settings })).ignoreCommand, 'exit 1')
  const files = { ...vite, 'vercel.json': { ignoreCommand: 'exit 0' } }
  assert.equal((await planOf(files, { settings })).ignoreCommand, 'exit 0')
  assert.equal(
    (await planOf({ ...vite, 'vercel.json': { ignoreCommand: '' } }, { settings })).ignoreCommand,
    null,
  )
})

test('builds of the request are done one by one, each under its own id', async () => {
  const files = {
    'www/package.json': { scripts: { build: 'x' } },
    'api/a.js': '',
    'api/lib/package.json': {},
    'api/lib/b.js': '',
    'static/x.css': '',
    'docs/build.sh': '',
    'fn.py': '',
  }
  const { stages } = await planOf(files, {
    deployment: builtBy(
      runOf('@now/static-build', 'www/package.json', { distDir: 'out' }, 'b1'),
      runOf('@vercel/node@2.0.0', 'api/**/*.js', { maxDuration: 5, includeFiles: ['x/**', '../y'] }, 'b2'),
      runOf('@aloft/static', 'static/**', {}, 'b3'),
      runOf('@now/static-build', 'docs/build.sh', {}, 'b4'),
      runOf('@now/python', 'fn.py', {}, 'b5'),
    ),
  })
  assert.deepEqual(
    stages.map(({ run }) => run),
    ['b1', 'b2', 'b3', 'b4', 'b5'],
  )
  const [www, api, css, docs, fn] = stages as [Stage, Stage, Stage, Stage, Stage]
  assert.deepEqual(
    [www.folder, taken(www, 'built').mount, taken(www, 'built').folders],
    ['www', 'www', ['out']],
  )
  assert.deepEqual(
    taken(api, 'functions').functions.map(({ paths }) => paths),
    [
      ['api/a', 'api/a.js'],
      ['api/lib/b', 'api/lib/b.js'],
    ],
  )
  assert.deepEqual(api.installs, [{ folder: 'api/lib', command: null }])
  assert.deepEqual(uploaded(css), ['static/x.css'])
  assert.deepEqual(docs.build, { kind: 'program', argv: ['/bin/sh', 'build.sh'] })
  assert.equal(taken(docs, 'built').folders[0], 'dist')
  assert.equal(taken(fn, 'functions').functions[0]?.runtime, 'python')
})

test('a package with functions has its script for the platform run once, and no other', async () => {
  const files = {
    'package.json': { scripts: { build: 'a' } },
    'x.js': '',
    'back/package.json': { scripts: { build: 'a', 'now-build': 'b' } },
    'back/a.js': '',
    'back/b.js': '',
    'back/c.py': '',
  }
  const { stages } = await planOf(files, {
    deployment: builtBy(
      runOf('@now/python', 'back/c.py', {}, 'b0'),
      runOf('@vercel/node', 'x.js', {}, 'b1'),
      runOf('@vercel/node', 'back/a.js', {}, 'b2'),
      runOf('@vercel/node', 'back/b.js', {}, 'b3'),
    ),
  })
  assert.deepEqual(
    stages.map(({ run, folder, build, takes }) => [run, folder, build, takes.map(({ kind }) => kind)]),
    [
      ['b0', '', undefined, ['functions']],
      ['b1', '', undefined, ['functions']],
      ['b2', 'back', { kind: 'script', script: 'now-build' }, []],
      ['b2', '', undefined, ['functions']],
      ['b3', '', undefined, ['functions']],
    ],
  )
})

test('the config of a build is about its functions', async () => {
  const { functions } = await planOf(
    { 'api/a.js': '' },
    {
      deployment: builtBy(
        runOf('@now/node', 'api/*.js', { maxDuration: 5, memory: 64, includeFiles: ['x/**', '../y'] }),
      ),
    },
  )
  assert.deepEqual(functions, [
    { glob: 'api/*.js', memoryMb: 128, maxDuration: 5, includeFiles: ['x/**'], excludeFiles: [] },
  ])
})

test('builds of the file count where the request has none, all as the one build there is', async () => {
  const files = {
    'a.js': '',
    'x.css': '',
    'now.json': {
      builds: [
        { src: '*.js', use: '@now/node' },
        { src: '*.css', use: '@now/static' },
      ],
    },
  }
  const { stages } = await planOf(files)
  assert.deepEqual(
    stages.map(({ run }) => run),
    ['bld_1', 'bld_1'],
  )
  const asked = await planOf(files, { deployment: builtBy(runOf('@now/static', '**')) })
  assert.equal(asked.stages.length, 1)
})

test('a build of a package.json is what its folder is', async () => {
  const files = { 'web/package.json': vite['package.json'], 'web/index.html': '' }
  const { stages } = await planOf(files, {
    deployment: builtBy(runOf('@now/node', 'web/package.json')),
    settings: { buildCommand: 'not for this folder' },
  })
  assert.deepEqual(stages[0]?.build, { kind: 'script', script: 'build' })
  assert.equal(taken(stages[0] as Stage, 'built').mount, 'web')
  const next = await planOf(
    { 'package.json': { dependencies: { next: '9' } } },
    { deployment: builtBy(runOf('@now/next', 'package.json')) },
  )
  assert.equal(next.stages[0]?.build?.kind, 'cli')
})

test('builds that cannot be done say why', async () => {
  const files = { 'package.json': {}, 'a.css': '', Dockerfile: '' }
  const built = (use: string, path: string, config = {}) =>
    planOf(files, { deployment: builtBy(runOf(use, path, config)) })
  await assert.rejects(built('@now/docker', 'Dockerfile'), { code: 'docker_unavailable', run: 'bld_1' })
  await assert.rejects(built('@now/static-build', 'package.json'), { code: 'missing_script', run: 'bld_1' })
  await assert.rejects(built('@now/node', 'a.css'), { code: 'no_functions' })
  await assert.rejects(built('@now/static', 'none/**'), { code: 'unreferenced_build_specifications' })
  const withScript = { 'package.json': { scripts: { build: 'x' } } }
  await assert.rejects(
    planOf(withScript, {
      deployment: builtBy(runOf('@now/static-build', 'package.json', { distDir: '../..' })),
    }),
    { code: 'invalid_config' },
  )
})

const legacy = (type: 'NPM' | 'DOCKER'): TaskChanges => ({
  deployment: { requestedType: type, nodeVersion: '8.10.0', buildRuns: [runOf('@aloft/static', '**')] },
})

test('a package of an older client is installed, built, and its start script is the program', async () => {
  const scripts = { build: 'x', prestart: 'node check.js', start: 'micro -p $PORT' }
  const plan = await planOf({ 'package.json': { scripts } }, legacy('NPM'))
  const stage = plan.stages[0] as Stage
  assert.equal(plan.nodeVersion, '8.10.x')
  assert.deepEqual(stage.build, { kind: 'script', script: 'build' })
  const { command } = taken(stage, 'command')
  assert.deepEqual(command.slice(0, 2), ['/bin/sh', '-c'])
  assert.match(command[2] ?? '', /node_modules\/\.bin.*\nnode check\.js \|\| exit\nmicro -p \$PORT$/s)
})

test('without a start script server.js is the program', async () => {
  const stage = await stageOf({ 'package.json': {}, 'server.js': '' }, legacy('NPM'))
  assert.deepEqual(taken(stage, 'command').command, ['node', 'server.js'])
  await assert.rejects(planOf({ 'package.json': {} }, legacy('NPM')), { code: 'missing_script' })
  await assert.rejects(planOf({ 'a.js': '' }, legacy('NPM')), { code: 'invalid_config' })
  await assert.rejects(planOf({ Dockerfile: '' }, legacy('DOCKER')), { code: 'docker_unavailable' })
})

test('a package.json that is not JSON is told', async () => {
  await assert.rejects(planOf({ 'package.json': '{' }), { code: 'invalid_config', message: /package\.json/ })
})

test('an empty `engines.node` leaves the version to the project', async () => {
  for (const node of ['', ' ']) {
    const pkg = { ...(vite['package.json'] as object), engines: { node } }
    const { nodeVersion, warnings } = await planOf(
      { ...vite, 'package.json': pkg },
      { settings: { nodeVersion: '18.x' } },
    )
    assert.deepEqual([nodeVersion, warnings], ['18.x', []])
  }
})
