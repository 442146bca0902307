import assert from 'node:assert/strict'
import { test } from 'node:test'
import { builtBy, runOf } from '#core/detection/plan-testing.ts'
import type { Output } from '#core/output/output.ts'
import type { Builder } from '#core/ports/builder.ts'
import { buildOf } from './builder-testing.ts'
import { ToolchainError } from './environment/toolchain/toolchain.ts'

const paths = ({ files }: Output) => files.map(({ path }) => path).sort()
const answers = ({ functions }: Output) => functions.map(({ path }) => path).sort()

const vite = {
  'package.json': { scripts: { build: 'vite build' }, devDependencies: { vite: '7' } },
  'index.html': '<source>',
}

test('a site is installed, built and taken, and the workspace is closed at the end', async (t) => {
  const build = await buildOf(t, vite, (line) =>
    line === 'npm run build' ? { 'dist/index.html': '<built>', 'dist/a/b.js': '1' } : undefined,
  )
  const output = await build.run()
  assert.deepEqual(paths(output), ['a/b.js', 'index.html'])
  assert.equal(output.routes, undefined)
  assert.deepEqual(
    build.logged.map((line) => line.replace(/\d+ ms|\d\.\d s/, '…')),
    [
      'began bld_1',
      'Detected Vite',
      '$ npm install',
      'Installed dependencies with npm in …',
      '$ npm run build',
      'Built in …',
      'The files in "dist" are served',
      'Found 0 functions and 2 files; the build took …',
      'ended bld_1',
      'closed',
    ],
  )
  for (const { env } of build.ran) assert.equal(env?.VERCEL, '1')
})

test('the commands run in the root directory with the package manager of the project', async (t) => {
  const files = {
    'apps/web/package.json': vite['package.json'],
    'apps/web/pnpm-lock.yaml': 'lockfileVersion: 9',
    'other.txt': '',
  }
  const build = await buildOf(
    t,
    files,
    (line) => (line.includes('run build') ? { 'apps/web/dist/index.html': '' } : undefined),
    { settings: { rootDirectory: 'apps/web', sourceFilesOutsideRootDirectory: false } },
  )
  assert.deepEqual(paths(await build.run()), ['index.html'])
  assert.ok(build.logged.includes('apps/web$ pnpm run build'), build.logged.join('\n'))
  assert.deepEqual(build.opened.includes('other.txt'), false)
})

test('functions and files that need no build are taken as they are', async (t) => {
  const build = await buildOf(t, {
    'index.html': '',
    'about.html': '',
    'api/hello.js': 'module.exports = (req, res) => res.end()',
    'api/[id].js': 'module.exports = (req, res) => res.end()',
    'vercel.json': {
      cleanUrls: true,
      env: { GREETING: 'hi' },
      functions: { 'api/hello.js': { maxDuration: 5, memory: 256 } },
      rewrites: [{ source: '/u/:id', destination: '/api/:id' }],
    },
  })
  const output = await build.run()
  assert.deepEqual(paths(output), ['about', 'index.html'])
  assert.match(output.files.find(({ path }) => path === 'about')?.contentType ?? '', /^text\/html/)
  assert.deepEqual(answers(output), ['api/[id]', 'api/[id].js', 'api/hello', 'api/hello.js'])
  const program = (path: string) => {
    const id = output.functions.find((answer) => answer.path === path)?.program
    return output.programs.find((candidate) => candidate.id === id)
  }
  assert.equal(program('api/hello')?.maxDuration, 5)
  assert.equal(program('api/hello')?.memoryMb, 256)
  assert.equal(program('api/[id]')?.maxDuration, 60)
  assert.deepEqual(program('api/[id].js')?.env.GREETING, 'hi')
  const dests = output.routes?.flatMap((route) => ('dest' in route ? [route.dest] : []))
  assert.deepEqual(dests, ['/api/$1', '/api/[id]?id=$1'])
  assert.equal(build.ran.length, 0)
})

test('a middleware is asked before every other rule, and its source is not served', async (t) => {
  const build = await buildOf(t, {
    'index.html': '',
    'middleware.js': `export default () => {}\nexport const config = { matcher: '/admin' }`,
    'vercel.json': { redirects: [{ source: '/admin', destination: '/' }] },
  })
  const output = await build.run()
  assert.deepEqual(paths(output), ['index.html'])
  assert.deepEqual(answers(output), ['_aloft/middleware'])
  const [first, second] = output.routes ?? []
  assert.deepEqual(first, {
    src: '^\\/admin(?:/)?$',
    middlewarePath: '/_aloft/middleware',
    continue: true,
  })
  assert.equal((second as { status?: number }).status, 308)
})

test('the output that an adapter wrote is preferred to a folder, with its rules', async (t) => {
  const routes = [{ src: '^/x$', dest: '/y' }]
  const build = await buildOf(t, { 'package.json': { dependencies: { astro: '5' } } }, (line) =>
    line === 'astro build'
      ? {
          '.vercel/output/config.json': { version: 3, routes },
          '.vercel/output/static/y.html': '',
          'dist/z.html': '',
        }
      : undefined,
  )
  const output = await build.run()
  assert.deepEqual(paths(output), ['y.html'])
  assert.deepEqual(output.routes, routes)
})

test('what came with the upload as the output of an earlier build is not taken for this one', async (t) => {
  const build = await buildOf(
    t,
    { ...vite, '.vercel/output/config.json': { version: 3 }, '.vercel/output/static/old.html': '' },
    (line) => (line === 'npm run build' ? { 'dist/new.html': '' } : undefined),
  )
  assert.deepEqual(paths(await build.run()), ['new.html'])
})

test('what was built elsewhere is taken without a command', async (t) => {
  const build = await buildOf(t, {
    '.vercel/output/config.json': { version: 3 },
    '.vercel/output/static/index.html': '',
  })
  assert.deepEqual(paths(await build.run()), ['index.html'])
  assert.equal(build.ran.length, 0)
})

test('Next.js is built by the CLI at the root, with the settings of the project', async (t) => {
  const build = await buildOf(
    t,
    {
      'web/package.json': { dependencies: { next: '16' } },
      'web/vercel.json': { functions: { 'app/**': { memory: 512 } } },
    },
    (line) =>
      line.includes('run-cli')
        ? { '.vercel/output/config.json': { version: 3 }, '.vercel/output/static/index.html': '' }
        : undefined,
    { settings: { rootDirectory: 'web' }, deployment: { target: 'production' } },
  )
  await build.run()
  const cli = build.ran.find(({ argv }) => argv.some((word) => word.endsWith('run-cli.mjs')))
  assert.ok(cli)
  assert.deepEqual(JSON.parse(cli.argv.at(-1) ?? ''), {
    cli: '/cli',
    settings: {
      framework: 'nextjs',
      installCommand: '',
      buildCommand: null,
      outputDirectory: null,
      rootDirectory: 'web',
      nodeVersion: '20.x',
    },
    functions: { 'app/**': { memory: 512 } },
    without: [],
    production: true,
  })
  assert.equal(cli.cwd ?? '', '')
  assert.equal(cli.env?.NEXT_PUBLIC_VERCEL_ENV, 'production')
  assert.ok(cli.extraBinds?.every(({ writable }) => !writable))
  assert.deepEqual(build.kept, ['web/.next/cache'])
})

test('a server answers every path for which there is no file', async (t) => {
  const build = await buildOf(t, {
    'package.json': { dependencies: { express: '5' } },
    'index.js': "require('express')",
    'node_modules/express/index.js': '',
    'public/robots.txt': '',
  })
  const output = await build.run()
  assert.deepEqual(paths(output), ['robots.txt'])
  assert.deepEqual(answers(output), ['index'])
  assert.equal(output.programs[0]?.entry, 'index.js')
  assert.deepEqual(output.routes, [{ handle: 'filesystem' }, { src: '^/(.*)$', dest: '/index' }])
})

test('a package of an older client becomes one program that runs its start script', async (t) => {
  const build = await buildOf(
    t,
    { 'package.json': { scripts: { build: 'x', start: 'node app.js' } }, 'app.js': '' },
    (line) => (line === 'npm run build' ? { 'made.txt': '' } : undefined),
    {
      deployment: {
        nodeVersion: '10.24.1',
        requestedType: 'NPM',
        buildRuns: [runOf('@aloft/node', 'package.json')],
      },
    },
  )
  const output = await build.run()
  const [program] = output.programs
  assert.equal(program?.shape, 'command')
  assert.equal(program?.version, '10.x')
  assert.match(program?.command?.at(-1) ?? '', /\nnode app\.js$/)
  assert.equal(program?.fileCount, 3)
  assert.deepEqual(answers(output), ['index'])
})

test('the token of an older client is known to npm while packages are installed, and only then', async (t) => {
  const build = await buildOf(
    t,
    {
      'package.json': { scripts: { build: 'x', start: 'node app.js' }, dependencies: { ms: '2.1.3' } },
      'app.js': '',
    },
    undefined,
    {
      deployment: { buildRuns: [runOf('@aloft/static', '**')] },
      registryAuthToken: 'secret',
      parts: { registry: async () => ({ url: 'https://packages.test/npm/' }) },
    },
  )
  await build.run()
  const [before, install, after, script] = build.ran
  assert.equal(before?.env?.NPMRC_LINE, '//packages.test/npm/:_authToken=secret')
  assert.equal(before?.shown, null)
  assert.match(install?.argv.at(-1) ?? '', /^npm install/)
  assert.match(after?.argv.at(-1) ?? '', /^rm -f/)
  assert.deepEqual(script?.argv, ['npm', 'run', 'build'])
  for (const options of [install, after, script])
    assert.equal(JSON.stringify(options).includes('secret'), false)
})

test('a server in a folder of a build answers below that folder', async (t) => {
  const build = await buildOf(
    t,
    { 'srv/package.json': { scripts: { start: 'node app.js' } }, 'srv/app.js': '', 'index.html': '' },
    undefined,
    {
      deployment: builtBy(
        runOf('@now/node', 'srv/package.json', {}, 'b1'),
        runOf('@now/static', 'index.html', {}, 'b2'),
      ),
    },
  )
  const output = await build.run()
  assert.deepEqual(answers(output), ['srv/index'])
  assert.deepEqual(output.routes?.at(-1), { src: '^/srv(?:/(.*))?$', dest: '/srv/index' })
})

test('each build of a request begins and ends, and its part is where it belongs', async (t) => {
  const build = await buildOf(
    t,
    {
      'www/package.json': { scripts: { build: 'x' } },
      'api/a.js': 'module.exports = () => {}',
      'style.css': '',
    },
    (line) => (line === 'npm run build' ? { 'www/dist/index.html': '' } : undefined),
    {
      deployment: builtBy(
        runOf('@now/static-build', 'www/package.json', {}, 'b1'),
        runOf('@now/node', 'api/*.js', {}, 'b2'),
        runOf('@now/static', '*.css', {}, 'b3'),
      ),
    },
  )
  const output = await build.run()
  assert.deepEqual(paths(output), ['style.css', 'www/index.html'])
  assert.deepEqual(answers(output), ['api/a', 'api/a.js'])
  assert.deepEqual(
    build.logged.filter((line) => /^(began|ended)/.test(line)),
    ['began b1', 'began b2', 'began b3', 'ended b1', 'ended b2', 'ended b3'],
  )
})

test('the ignore command ends the build with 0, and only with that', async (t) => {
  for (const [code, ignored] of [
    [0, true],
    [1, false],
    [127, false],
  ] as const) {
    const build = await buildOf(
      t,
      vite,
      (line) => (line === 'check' ? code : line === 'npm run build' ? { 'dist/i.html': '' } : undefined),
      { settings: { commandForIgnoringBuildStep: 'check' } },
    )
    if (ignored) await assert.rejects(build.run(), { code: 'build_ignored', run: 'bld_1' })
    else await build.run()
    assert.equal(build.logged.at(-1), 'closed')
    assert.equal(build.logged.includes('$ npm install'), !ignored)
  }
})

test('a command that fails is told by what it was for, and nothing is kept', async (t) => {
  for (const [failing, code] of [
    ['npm install', 'install_failed'],
    ['npm run build', 'build_failed'],
  ] as const) {
    const build = await buildOf(t, vite, (line) => (line === failing ? 3 : undefined))
    await assert.rejects(build.run(), { code, run: 'bld_1', message: `Command "${failing}" exited with 3` })
    assert.equal(build.logged.at(-1), 'closed')
    assert.equal(
      build.logged.some((line) => line.startsWith('ended')),
      false,
    )
    assert.deepEqual(build.kept, [])
  }
})

test('a build that leaves nothing fails', async (t) => {
  await assert.rejects((await buildOf(t, vite)).run(), { code: 'missing_output' })
})

test('an abort is told with its own reason, and the workspace is closed', async (t) => {
  const control = new AbortController()
  const reason = new Error('deleted')
  const build = await buildOf(
    t,
    vite,
    (line) => {
      if (line === 'npm run build') control.abort(reason)
      return undefined
    },
    { signal: control.signal },
  )
  await assert.rejects(build.run(), reason)
  assert.equal(build.logged.at(-1), 'closed')
  await assert.rejects((await buildOf(t, vite, undefined, { signal: control.signal })).run(), reason)
})

test('the log says what is downloaded before anything can be run', async (t) => {
  const files = {
    'package.json': { packageManager: 'pnpm@10.0.0', dependencies: { next: '15' } },
    'pnpm-lock.yaml': 'lockfileVersion: 9',
  }
  const place = { folder: '/nowhere', node: '/opt/node/bin/node', version: '20.1.2' } as const
  const run = (line: string) =>
    line.includes('run-cli')
      ? { '.vercel/output/config.json': { version: 3 }, '.vercel/output/static/index.html': '' }
      : undefined
  const build = await buildOf(t, files, run, {
    parts: {
      toolchains: {
        nodeLine: (version) => version,
        ensureNode: async (_version, onDownload) => {
          await onDownload?.()
          return place
        },
        ensureBun: () => assert.fail('nothing asks for it'),
        ensureTool: async (name, version, onDownload) => {
          await onDownload?.()
          return { name, version, folder: '/nowhere' }
        },
      },
      cli: {
        async ensure(onDownload) {
          await onDownload?.()
          return { folder: '/cli', node: place }
        },
      },
    },
  })
  await build.run()
  const before = (command: RegExp) => build.logged[build.logged.findIndex((line) => command.test(line)) - 1]
  const downloading = 'Downloading what is not on this machine yet: '
  assert.equal(before(/pnpm 10/), `${downloading}Node 20.x`)
  assert.equal(before(/^\$ pnpm install/), `${downloading}pnpm 10.0.0`)
  assert.ok(build.logged.includes(`${downloading}build tools for nextjs`), build.logged.join('\n'))
})

test('a toolchain that cannot be had is told', async (t) => {
  const toolchains = {
    nodeLine: (version: string) => version,
    ensureNode: () => Promise.reject(new ToolchainError('unavailable', 'no network')),
    ensureBun: () => Promise.reject(new ToolchainError('unavailable', 'no network')),
    ensureTool: () => Promise.reject(new ToolchainError('unavailable', 'no network')),
  }
  const build = await buildOf(t, vite, undefined, { parts: { toolchains } })
  await assert.rejects(build.run(), { code: 'toolchain_unavailable', message: /Node 20\.x.*no network/ })
})

test('images are for Docker, where there is one', async (t) => {
  const deployment = builtBy(runOf('@now/docker', 'Dockerfile'))
  const without = await buildOf(t, { Dockerfile: '' }, undefined, { deployment })
  await assert.rejects(without.run(), { code: 'docker_unavailable', message: /ALOFT_RUNTIME=process/ })
  const built: Output = { routes: undefined, files: [], functions: [], programs: [] }
  const docker: Builder = { build: async () => built }
  const having = await buildOf(t, { Dockerfile: '' }, undefined, { deployment, parts: { docker } })
  assert.equal(await having.run(), built)
})

test('a line of Node that this machine cannot have is replaced by the nearest, and that is told', async (t) => {
  const build = await buildOf(
    t,
    { 'package.json': { engines: { node: '12' } }, 'api/a.js': 'module.exports = () => {}' },
    undefined,
    { nodeLine: (version) => (version === '12.x' ? '14.x' : version) },
  )
  const { programs } = await build.run()
  assert.equal(programs[0]?.version, '14.x')
  assert.ok(build.logged.some((line) => /Node 12\.x was never published .* Node 14\.x is used/.test(line)))
})
