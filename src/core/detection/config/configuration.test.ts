import assert from 'node:assert/strict'
import { test } from 'node:test'
import { treeOf } from '../plan-testing.ts'
import { MAX_TEXT_BYTES } from '../source-tree.ts'
import { NO_CONFIGURATION, plainVariables, readConfiguration } from './configuration.ts'
import { settingFor } from './function-settings.ts'

const read = (config: unknown, name = 'vercel.json') => readConfiguration(treeOf({ [name]: config }))

test('without a file nothing is configured', async () => {
  assert.deepEqual(await readConfiguration(treeOf({ 'index.html': '' })), NO_CONFIGURATION)
})

test('each of the three names is read, and of several the first counts', async () => {
  for (const name of ['aloft.json', 'vercel.json', 'now.json'])
    assert.equal((await read({ buildCommand: 'make' }, name)).buildCommand, 'make')
  const both = treeOf({ 'now.json': { buildCommand: 'old' }, 'aloft.json': { buildCommand: 'new' } })
  assert.equal((await readConfiguration(both)).buildCommand, 'new')
})

test('null and absent are told apart, and a byte order mark is no mistake', async () => {
  const found = await read(`\uFEFF${JSON.stringify({ framework: null, installCommand: '' })}`)
  assert.equal(found.framework, null)
  assert.equal(found.installCommand, '')
  assert.equal(found.outputDirectory, undefined)
})

test('rewrites, redirects, headers and the like become routes', async () => {
  const { routes, cleanUrls } = await read({
    cleanUrls: true,
    redirects: [{ source: '/old', destination: '/new', permanent: true }],
    rewrites: [{ source: '/u/:id', destination: '/api/user?id=:id' }],
    headers: [{ source: '/(.*)', headers: [{ key: 'x-a', value: '1' }] }],
  })
  assert.equal(cleanUrls, true)
  const has = (part: object) =>
    assert.ok(
      routes?.some((route) =>
        Object.entries(part).every(([k, v]) => JSON.stringify(route[k as never]) === JSON.stringify(v)),
      ),
      JSON.stringify(part),
    )
  has({ src: '^/old$', status: 308, headers: { Location: '/new' } })
  has({ handle: 'filesystem' })
  has({ src: '^/u(?:/([^/]+?))$', dest: '/api/user?id=$1', check: true })
  has({ headers: { 'x-a': '1' }, continue: true })
})

const WRONG: readonly (readonly [string, unknown, RegExp])[] = [
  ['not JSON', '{', /vercel\.json is not valid JSON/],
  ['a list', [], /should contain an object/],
  ['a command that is no text', { buildCommand: 7 }, /`buildCommand` should be text/],
  ['a command that is too long', { buildCommand: 'x'.repeat(2000) }, /at most 1024/],
  ['builds that are no list', { builds: {} }, /`builds` should be a list/],
  ['an unknown builder', { builds: [{ src: 'a', use: '@now/cobol' }] }, /builds\[0\].*cobol/],
  ['routes that are no list', { routes: 'x' }, /`routes`/],
  ['a rewrite without a source', { rewrites: [{ destination: '/' }] }, /rewrites\[0\]/],
  ['a function with too much memory', { functions: { 'api/a.js': { memory: 1e6 } } }, /memory/],
  ['a function for too long', { functions: { 'api/a.js': { maxDuration: 0 } } }, /maxDuration/],
  ['an unknown runtime', { functions: { 'api/a.php': { runtime: 'now-php@0.1' } } }, /no runtime/],
  ['files from elsewhere', { functions: { 'api/a.js': { includeFiles: '../x' } } }, /folder/],
  [
    'too many files',
    { functions: { 'api/a.js': { excludeFiles: '{a,b}'.repeat(14) } } },
    /its braces expand/,
  ],
  ['a variable with a bad name', { env: { 'A-B': '1' } }, /letters/],
  ['a variable that is an object', { build: { env: { A: {} } } }, /value of A/],
]
for (const [what, config, message] of WRONG)
  test(`${what} is refused`, async () => {
    await assert.rejects(read(config), { code: 'invalid_config', message })
  })

test('a route that is no regular expression is refused', async () => {
  await assert.rejects(read({ routes: [{ src: '/a(', dest: '/b' }] }), { code: 'invalid_routes' })
})

test('a file that is too large is refused', async () => {
  await assert.rejects(read({ x: 'x'.repeat(MAX_TEXT_BYTES) }), {
    code: 'invalid_config',
    message: /too large/,
  })
})

test('functions have the settings of the first pattern that matches', async () => {
  const { functions } = await read({
    functions: {
      'api/slow.js': { maxDuration: 300, memory: 512, runtime: 'nodejs18.x' },
      'api/**/*.js': { maxDuration: 'max', includeFiles: 'data/**', excludeFiles: ['data/raw/**'] },
    },
  })
  assert.deepEqual(settingFor('api/slow.js', functions), {
    glob: 'api/slow.js',
    memoryMb: 512,
    maxDuration: 300,
    nodeVersion: '18.x',
    includeFiles: [],
    excludeFiles: [],
  })
  assert.deepEqual(settingFor('api/x/y.js', functions), {
    glob: 'api/**/*.js',
    maxDuration: 900,
    includeFiles: ['data/**'],
    excludeFiles: ['data/raw/**'],
  })
  assert.equal(settingFor('lib/x.js', functions), undefined)
})

test('a pattern of functions that stands for thousands is refused, and one that could be matched in many ways is quick', async () => {
  await assert.rejects(read({ functions: { ['{a,b}'.repeat(14)]: { memory: 512 } } }), {
    code: 'invalid_config',
    message:
      /`functions\.\{a,b\}.*cannot be used as a pattern: its braces expand to more than 100 patterns\./,
  })
  const { functions } = await read({ functions: { [`${'*a'.repeat(40)}b`]: { memory: 512 } } })
  assert.equal(settingFor('a'.repeat(4_000), functions), undefined)
})

test('variables of the file are used unless the request has them; a secret must come with the request', async () => {
  const { env, buildEnv } = await read({ env: { A: '1', N: 2, S: '@secret' }, build: { env: { B: 'b' } } })
  assert.deepEqual(plainVariables(env, ['S', 'A']), { N: '2' })
  assert.deepEqual(plainVariables(buildEnv, []), { B: 'b' })
  assert.throws(() => plainVariables(env, []), { code: 'invalid_config', message: /variable S/ })
})

const IMAGES = {
  sizes: [320, 640],
  qualities: [75],
  formats: ['image/avif', 'image/webp'],
  remotePatterns: [{ protocol: 'https', hostname: '**.example.com', pathname: '/photos/**' }],
  localPatterns: [{ pathname: '/assets/**', search: '' }],
  domains: ['old.example'],
  minimumCacheTTL: 3600,
  dangerouslyAllowSVG: true,
  contentSecurityPolicy: "script-src 'none'",
  contentDispositionType: 'inline',
}

test('images says which sizes there are, and is told what is wrong with it', async () => {
  const { images, warnings } = await read({ images: IMAGES })
  assert.deepEqual([images, warnings], [IMAGES, []])
  for (const [change, message] of [
    [{ sizes: undefined }, /should have `sizes`/],
    [{ sizes: [] }, /should have `sizes`/],
    [{ sizes: [0] }, /`sizes` that is wrong at 0: it should be a whole number from 1/],
    [{ sizes: '640' }, /`sizes` that should be a list/],
    [{ qualities: [101] }, /`qualities`/],
    [{ formats: ['image/gif'] }, /`formats` that is wrong at 0: it should be one of image\/avif/],
    [{ remotePatterns: [{ protocol: 'https' }] }, /should have `hostname`/],
    [{ remotePatterns: [{ hostname: 'a', protocol: 'ftp' }] }, /`protocol` that should be one of http/],
    [{ localPatterns: [{ path: '/' }] }, /has `path`, which is unknown/],
    [{ minimumCacheTTL: '60' }, /`minimumCacheTTL` that should be a whole number/],
    [{ dangerouslyAllowSVG: 'yes' }, /`dangerouslyAllowSVG` that should be one of true, false/],
    [{ contentDispositionType: 'other' }, /`contentDispositionType`/],
    [{ loader: 'custom' }, /has `loader`, which is unknown/],
  ] as const)
    await assert.rejects(read({ images: { ...IMAGES, ...change } }), message, JSON.stringify(change))
  await assert.rejects(read({ images: [] }), /`images` should be an object/)
})
