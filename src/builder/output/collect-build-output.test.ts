import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { Output, Program } from '#core/output/output.ts'
import { matchRoutes } from '#core/routing/match/match-routes.ts'
import { compileOutputRoutes } from '#core/routing/read/compile-output-routes.ts'
import { collectBuildOutput } from './collect.ts'
import { collectionOf, type Fixture, fails, link, type TestCollection, unpacked } from './collect-testing.ts'

const OUT = '.vercel/output'
const NODE = { runtime: 'nodejs20.x', handler: 'index.js', launcherType: 'Nodejs' }

const built = (files: Fixture, config: object = {}): Fixture => ({
  [`${OUT}/config.json`]: { version: 3, ...config },
  ...Object.fromEntries(Object.entries(files).map(([path, content]) => [`${OUT}/${path}`, content])),
})

const programOf = ({ functions, programs }: Output, path: string): Program => {
  const { program } = functions.find((answer) => answer.path === path) ?? {}
  return programs.find(({ id }) => id === program) as Program
}

async function collected(collection: TestCollection): Promise<Output> {
  return (await collectBuildOutput(collection)) as Output
}

describe('collectBuildOutput', () => {
  it('serves static files, under other paths and types where the output says so', async (t) => {
    const collection = await collectionOf(
      t,
      built(
        {
          'static/about.html': '<p>',
          'static/data': '{}',
          'static/.well-known/x.txt': 'x',
          'static/l': link('data'),
        },
        { overrides: { 'about.html': { path: 'about' }, data: { contentType: 'application/json' } } },
      ),
    )
    const { files, functions, routes } = await collected(collection)
    assert.deepEqual(
      files.map(({ path, contentType }) => [path, contentType]),
      [
        ['.well-known/x.txt', undefined],
        ['about', 'text/html; charset=utf-8'],
        ['data', 'application/json'],
        ['l', undefined],
      ],
    )
    assert.equal(String(collection.read(files[3] as Output['files'][0])), '{}')
    assert.deepEqual([functions, routes], [[], undefined])
  })

  it('keeps the routes, and lets images be asked for in sizes', async (t) => {
    const routes = [{ src: '/a', dest: '/b' }, { handle: 'filesystem' }, { src: '/.*', dest: '/index' }]
    const collection = await collectionOf(t, built({}, { routes, images: { sizes: [640] } }))
    const { routes: kept = [] } = await collected(collection)
    assert.deepEqual(kept.slice(1), routes)
    assert.match(JSON.stringify(kept[0]), /_\(\?:next\|vercel\)\/image/)
  })

  it('knows the wildcard of each domain in its routes', async (t) => {
    const routes = [
      { src: '^/(?!(?:_next/.*|en|fr)(?:/.*|$))(.*)$', dest: '$wildcard/$1', continue: true },
      { src: '^/wild$', has: [{ type: 'cookie', key: 'c' }], dest: '/$wildcards$1' },
      { handle: 'filesystem' },
    ]
    const wildcard = [
      { domain: 'example.com', value: '' },
      { domain: 'Example.fr', value: '/fr' },
    ]
    const { routes: kept = [] } = await collected(await collectionOf(t, built({}, { routes, wildcard })))
    assert.deepEqual(kept.slice(3), routes.slice(1))
    const compiled = compileOutputRoutes(kept)
    assert.ok(compiled.ok)
    const pathAt = (host: string, path: string) => {
      const request = { method: 'GET', host, path, query: '', header: () => undefined }
      const outcome = matchRoutes(compiled.table, request, { find: (found) => found, isBuilt: true })
      return outcome.kind === 'serve' ? outcome.foundAt : outcome.kind
    }
    assert.deepEqual(
      ['example.com', 'example.fr', 'elsewhere.test'].map((host) => pathAt(host, '/blog')),
      ['/blog', '/fr/blog', '/blog'],
    )
    assert.equal(pathAt('example.fr', '/en/blog'), '/en/blog')
    for (const bad of [{}, [1], [{ domain: 'a', value: '$1' }]])
      await assert.rejects(
        async () => collected(await collectionOf(t, built({}, { routes, wildcard: bad }))),
        /wildcard of config\.json/,
      )
  })

  it('gives paths that share a folder the same program', async (t) => {
    const collection = await collectionOf(
      t,
      built({
        'functions/blog/[slug].func/.vc-config.json': {
          ...NODE,
          memory: 512,
          maxDuration: 30,
          environment: { A: '1' },
        },
        'functions/blog/[slug].func/index.js': 'module.exports = 1',
        'functions/blog/a.func': link('[slug].func'),
        'functions/index.func': link('blog/[slug].func'),
        'functions/api/edge.func/.vc-config.json': { runtime: 'edge', entrypoint: 'main.js' },
        'functions/api/edge.func/main.js': 'export default 1',
        'functions/py.func/.vc-config.json': { runtime: 'python3.12', handler: 'app.handler' },
        'functions/py.func/app.py': '',
        'functions/aws.func/.vc-config.json': {
          runtime: 'nodejs18.x',
          handler: 'server.run',
          shouldAddHelpers: true,
        },
        'functions/aws.func/server.mjs': '',
        'functions/web.func/.vc-config.json': { ...NODE, useWebApi: true },
        'functions/web.func/index.js': 'module.exports = () => new Response()',
      }),
    )
    const output = await collected(collection)
    assert.deepEqual(
      output.functions.map(({ path }) => path),
      ['api/edge', 'aws', 'blog/[slug]', 'blog/a', 'index', 'py', 'web'],
    )
    assert.equal(output.programs.length, 5)
    const { id, archive, ...shared } = programOf(output, 'index')
    assert.equal(id, programOf(output, 'blog/a').id)
    assert.deepEqual(shared, {
      ...{ runtime: 'node', version: '20.x', shape: 'handler', entry: 'index.js', fileCount: 1 },
      ...{ memoryMb: 512, maxDuration: 30, env: { NODEJS_HELPERS: '0', A: '1' } },
    })
    assert.equal(collection.read(archive).length, archive.size)
    const how = (path: string) => {
      const { runtime, version, shape, entry, env } = programOf(output, path)
      return [runtime, version, shape, entry, env]
    }
    assert.deepEqual(how('api/edge'), ['node', '24.x', 'edge', 'main.js', { NODEJS_HELPERS: '0' }])
    assert.deepEqual(how('py').slice(0, 4), ['python', '3.12', 'handler', 'app.py'])
    assert.deepEqual(how('web').slice(0, 4), ['node', '20.x', 'web', 'index.js'])
    assert.deepEqual(how('aws'), ['node', '18.x', 'handler', 'server.mjs', {}])
  })

  it('reads what is kept of the answers of functions', async (t) => {
    const collection = await collectionOf(
      t,
      built({
        'functions/a.func/.vc-config.json': NODE,
        'functions/a.func/index.js': '',
        'functions/a.rsc.func': link('a.func'),
        'functions/a.prerender-config.json': {
          expiration: 60,
          group: 2,
          bypassToken: 'secret',
          fallback: { type: 'FileFsRef', fsPath: 'a.prerender-fallback.html' },
          initialHeaders: { vary: 'rsc' },
          initialStatus: 404,
          allowQuery: ['q'],
          passQuery: true,
        },
        'functions/a.prerender-fallback.html': '<p>kept',
        'functions/a.rsc.prerender-config.json': { expiration: false, fallback: 'gone.rsc' },
      }),
    )
    const { functions } = await collected(collection)
    const [a, rsc] = functions.map(({ prerender }) => prerender)
    const { fallback, ...rest } = a ?? assert.fail()
    assert.deepEqual(rest, {
      ...{ expiration: 60, group: 2, bypassToken: 'secret', initialHeaders: { vary: 'rsc' } },
      ...{ initialStatus: 404, allowQuery: ['q'], passQuery: true },
    })
    assert.equal(fallback?.contentType, 'text/html; charset=utf-8')
    assert.equal(String(collection.read(fallback ?? assert.fail())), '<p>kept')
    assert.deepEqual(rsc, { expiration: false, passQuery: false })
    assert.match(String(collection.logged), /gone\.rsc.*is missing/)
  })

  it('copies in what lies elsewhere, and keeps links that stay inside', async (t) => {
    const collection = await collectionOf(t, {
      ...built({
        'functions/f.func/.vc-config.json': {
          ...NODE,
          filePathMap: {
            'node_modules/x': 'node_modules/x',
            'node_modules/.store/x/index.js': 'node_modules/.store/x/index.js',
            'data.txt': 'shared/data.txt',
            'out.txt': 'node_modules/out',
          },
        },
        'functions/f.func/index.js': 'module.exports = 1',
        'functions/f.func/deep/same.js': link('../index.js'),
        'functions/f.func/outer': link('../../../../shared'),
        'functions/f.func/nowhere': link('missing'),
      }),
      'node_modules/.store/x/index.js': 'x',
      'node_modules/x': link('.store/x'),
      'node_modules/out': link('../shared/data.txt'),
      'shared/data.txt': 'data',
    })
    const output = await collected(collection)
    const program = programOf(output, 'f')
    assert.deepEqual(await unpacked(collection, program), {
      'data.txt': 'data',
      'deep/same.js': '→ ../index.js',
      'index.js': 'module.exports = 1',
      'node_modules/.store/x/index.js': 'x',
      'node_modules/x': '→ .store/x',
      'out.txt': 'data',
      'outer/data.txt': 'data',
    })
    assert.equal(program.fileCount, 7)
  })

  it('makes the same program of the same files', async (t) => {
    const files = built({
      'functions/f.func/.vc-config.json': NODE,
      'functions/f.func/index.js': '',
      [`functions/f.func/${'long/'.repeat(40)}name.js`]: 'deep',
    })
    const [a, b] = await Promise.all(
      [collectionOf(t, files), collectionOf(t, files)].map(async (c) => collected(await c)),
    )
    assert.deepEqual(a, b)
    assert.match(a?.programs[0]?.id ?? '', /^[0-9a-f]{64}$/)
  })

  it('answers nothing where there may be none, and else says what is missing', async (t) => {
    const collection = await collectionOf(t, {})
    assert.equal(await collectBuildOutput(collection, { optional: true }), undefined)
    await assert.rejects(collectBuildOutput(collection), fails('missing_output', /"\.vercel\/output"/))
  })

  const refused: readonly (readonly [string, Fixture, string, RegExp])[] = [
    ['another version', { [`${OUT}/config.json`]: { version: 2 } }, 'invalid_output', /not 3/],
    ['routes that cannot be', built({}, { routes: [{ src: '(' }] }), 'invalid_routes', /src/],
    [
      'a link to a file of the machine',
      built({ 'static/x': link('/etc/passwd') }),
      'link_leaves_workspace',
      /"x"/,
    ],
    [
      'a link to a folder of the machine',
      built({ 'static/x': link('/etc') }),
      'link_leaves_workspace',
      /"x"/,
    ],
    ['a function elsewhere', built({ 'functions/x.func': link('/usr') }), 'link_leaves_workspace', /x\.func/],
    [
      'a link out of a function',
      built({
        'functions/x.func/.vc-config.json': NODE,
        'functions/x.func/index.js': '',
        'functions/x.func/l': link('../../../../../../../../../../etc/passwd'),
      }),
      'link_leaves_workspace',
      /"l"/,
    ],
    [
      'a file from outside of the workspace',
      built({ 'functions/x.func/.vc-config.json': { ...NODE, filePathMap: { a: '../../etc/passwd' } } }),
      'path_leaves_workspace',
      /passwd/,
    ],
    [
      'a file to outside of the function',
      built({ 'functions/x.func/.vc-config.json': { ...NODE, filePathMap: { '../a': 'x' } } }),
      'invalid_output',
      /"\.\.\/a"/,
    ],
    [
      'a fallback from outside of the workspace',
      built({
        'functions/x.func/.vc-config.json': NODE,
        'functions/x.func/index.js': '',
        'functions/x.prerender-config.json': { fallback: '../../../../../etc/passwd' },
      }),
      'path_leaves_workspace',
      /passwd/,
    ],
    [
      'a served path that leads elsewhere',
      built({ 'static/x': '' }, { overrides: { x: { path: '../x' } } }),
      'invalid_output',
      /"\.\.\/x"/,
    ],
    [
      'a runtime that is not here',
      built({ 'functions/x.func/.vc-config.json': { runtime: 'cobol' } }),
      'unsupported_runtime',
      /"cobol"/,
    ],
    [
      'a function without its file',
      built({ 'functions/x.func/.vc-config.json': NODE }),
      'missing_output',
      /lacks its file "index\.js"/,
    ],
  ]
  for (const [what, files, code, message] of refused)
    it(`refuses ${what}`, async (t) => {
      await assert.rejects(collected(await collectionOf(t, files)), fails(code, message))
    })

  it('leaves out what is not a file without waiting for it', async (t) => {
    const collection = await collectionOf(t, built({ 'static/a': 'a' }))
    execFileSync('mkfifo', [join(collection.source, OUT, 'static/pipe')])
    const { files } = await collected(collection)
    assert.deepEqual(
      files.map(({ path }) => path),
      ['a'],
    )
    assert.match(String(collection.logged), /"pipe" is neither a file nor a folder/)
  })

  it('ends in circles of links', async (t) => {
    const collection = await collectionOf(
      t,
      built({ 'static/a/up': link('..'), 'static/a/self': link('self'), 'static/a/f': '1' }),
    )
    const { files } = await collected(collection)
    assert.deepEqual(
      files.map(({ path }) => path),
      ['a/f'],
    )
  })

  it('keeps to its limits', async (t) => {
    const collection = await collectionOf(
      t,
      built({
        'static/a': 'aaaa',
        'static/b/c/d/e': 'b',
        'functions/x.func/.vc-config.json': NODE,
        'functions/x.func/index.js': '12345',
        'functions/y.func': link('x.func'),
      }),
    )
    const within = (limits: object) => collectBuildOutput({ ...collection, limits })
    await assert.rejects(within({ files: 1 }), fails('too_many_files', /more than 1 files/))
    await assert.rejects(within({ depth: 2 }), fails('too_deep', /more than 2 deep/))
    await assert.rejects(within({ functions: 1 }), fails('too_many_functions', /more than 1/))
    await assert.rejects(within({ programBytes: 4 }), fails('too_large', /more than 4 bytes/))
    await assert.rejects(within({ totalBytes: 1000 }), fails('too_large', /more than 1000 bytes/))
  })
})
