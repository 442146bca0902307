import assert from 'node:assert/strict'
import { test } from 'node:test'
import { apiSuite } from '#test/support/api-suite.ts'
import { outputOf, ScriptedBuilder } from '#test/support/scripted-builder.ts'

const builder = new ScriptedBuilder()

apiSuite('what files are', suite, { workers: { builder } })

const SITE = { 'index.html': 'page' }
const BUILT = { 'package.json': JSON.stringify({ scripts: { build: 'x' } }), 'source.txt': 'source' }

function suite(server: Parameters<Parameters<typeof apiSuite>[1]>[0]): void {
  let count = 0
  const newName = () => `found-${++count}`
  const deploy = async (
    token: string,
    name: string,
    files: Readonly<Record<string, string>>,
    more: Record<string, unknown> = {},
  ) => {
    const body = {
      version: 2,
      name,
      files: Object.entries(files).map(([file, data]) => ({ file, data })),
      ...more,
    }
    return (await server.call('POST /v8/platform/deployments', { token, body })).body
  }
  const set = async (token: string, name: string, body: Record<string, unknown>) => {
    const answer = await server.call(`PATCH /v9/projects/${name}`, { token, body })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
  }
  const logOf = async (token: string, id: string): Promise<string> => {
    const { body } = await server.call(`GET /v2/platform/deployments/${id}/events?builds=1`, { token })
    return body.map(({ payload }: { payload: { text: string } }) => payload.text).join('\n')
  }
  const page = async (host: string, path: string) => {
    const { status, body } = await server.visit(host, path)
    return status === 200 ? body : status
  }

  test('a program that cannot be run is an error at once, and its source is no page', async () => {
    const { token } = await server.signUp()
    const made = await deploy(token, newName(), { 'main.go': 'package main', 'go.mod': 'module x' })
    assert.deepEqual([made.readyState, made.errorCode, made.errorStep], ['ERROR', 'unknown_program', 'build'])
    assert.match(made.errorMessage, /program written in Go .*`outputDirectory`/s)
    assert.match(await logOf(token, made.id), /^Error: .*program written in Go/)
    assert.equal((await server.visit(made.url, '/main.go')).status, 404)
    const again = await deploy(token, made.name, { 'main.go': 'package main', 'go.mod': 'module x' })
    assert.notEqual(again.id, made.id)
    const { body } = await server.call(`GET /v5/platform/deployments/${made.id}/builds`, { token })
    assert.equal(body.builds[0].readyState, 'ERROR')
  })

  test('a server is built, and never served as files', async () => {
    const { token } = await server.signUp()
    const flask = { 'app.py': 'from flask import Flask\napp = Flask(__name__)', 'requirements.txt': 'flask' }
    const started = { 'package.json': '{"scripts":{"start":"node server.js"}}', 'server.js': 'secret' }
    for (const [files, use] of [
      [flask, '@aloft/python'],
      [started, '@aloft/node'],
    ] as const) {
      builder.next(async () => outputOf({}, { functions: [] }))
      const made = await deploy(token, newName(), files)
      assert.equal(made.readyState, 'INITIALIZING')
      const { body } = await server.call(`GET /v5/platform/deployments/${made.id}/builds`, { token })
      assert.equal(body.builds[0].use, use)
      await server.runJobs()
      for (const path of Object.keys(files)) assert.equal(await page(made.url, `/${path}`), 404)
    }
  })

  test('an output directory, or builds for files, publish anything as it is', async () => {
    const { token } = await server.signUp()
    const files = { 'go.mod': 'module x', 'site/a.txt': 'a' }
    const name = newName()
    await deploy(token, name, files)
    await set(token, name, { outputDirectory: 'site' })
    const folder = await deploy(token, name, files)
    assert.equal(folder.readyState, 'READY')
    assert.deepEqual([await page(folder.url, '/a.txt'), await page(folder.url, '/go.mod')], ['a', 404])
    await set(token, name, { outputDirectory: '.' })
    const all = await deploy(token, name, files)
    assert.deepEqual([await page(all.url, '/site/a.txt'), await page(all.url, '/go.mod')], ['a', 'module x'])
    const asked = await deploy(token, newName(), files, { builds: [{ use: '@aloft/static', src: '**' }] })
    assert.equal(await page(asked.url, '/go.mod'), 'module x')
  })

  test('the root directory is asked whether to build, and the project how', async () => {
    const { token } = await server.signUp()
    const files = {
      'package.json': '{"private":true,"workspaces":["apps/*"]}',
      'apps/web/package.json': BUILT['package.json'],
      'apps/web/page.txt': 'source',
    }
    const name = newName()
    const unset = await deploy(token, name, files)
    assert.equal(unset.errorCode, 'unknown_program')
    await set(token, name, { rootDirectory: 'apps/web', buildCommand: 'make', nodeVersion: '22.x' })
    builder.next(async () => outputOf({}))
    const made = await deploy(token, name, files)
    assert.equal(made.readyState, 'INITIALIZING')
    // What is set afterwards is for the deployments that come afterwards.
    await set(token, name, { rootDirectory: null, buildCommand: 'other' })
    await server.runJobs()
    const plan = builder.tasks.at(-1)?.plan
    assert.deepEqual(
      [plan?.root, plan?.nodeVersion, plan?.stages[0]?.build],
      ['apps/web', '22.x', { kind: 'line', line: 'make' }],
    )
  })

  test('a site is served from its root directory, its output directory, or public', async () => {
    const { token } = await server.signUp()
    const name = newName()
    const files = { 'docs/site/index.html': 'docs', 'docs/x.md': 'x', 'readme.md': 'r' }
    await deploy(token, name, files)
    await set(token, name, { rootDirectory: 'docs', outputDirectory: 'site' })
    const made = await deploy(token, name, files)
    assert.equal(made.readyState, 'READY')
    const shown = await Promise.all(['/', '/x.md', '/docs/x.md', '/readme.md'].map((p) => page(made.url, p)))
    assert.deepEqual(shown, ['docs', 404, 404, 404])

    const hidden = { 'package.json': '{}', 'vercel.json': '{}', 'notes.txt': 'n' }
    const open = await deploy(token, newName(), { 'public/index.html': 'public', ...hidden })
    assert.equal(open.readyState, 'READY')
    assert.equal(await page(open.url, '/'), 'public')
    for (const path of Object.keys(hidden)) assert.equal(await page(open.url, `/${path}`), 404)
    assert.equal(await page(open.url, '/public/index.html'), 404)
  })

  test('a site with rules is READY in the answer, with a warning for what does nothing', async () => {
    const { token } = await server.signUp()
    const config = {
      cleanUrls: true,
      redirects: [{ source: '/old', destination: '/about' }],
      headers: [{ source: '/(.*)', headers: [{ key: 'x-mine', value: 'yes' }] }],
      regions: ['iad', 'cdg1'],
      fluid: true,
    }
    const made = await deploy(token, newName(), {
      'about.html': 'about',
      'vercel.json': JSON.stringify(config),
    })
    assert.equal(made.readyState, 'READY')
    const about = await server.visit(made.url, '/about')
    assert.deepEqual([about.status, about.body, about.headers.get('x-mine')], [200, 'about', 'yes'])
    assert.equal((await server.visit(made.url, '/old')).status, 308)
    assert.equal((await server.visit(made.url, '/vercel.json')).status, 404)
    const log = await logOf(token, made.id)
    assert.match(log, /vercel\.json: `fluid` is not supported/)
    assert.match(log, /vercel\.json: `regions` has "cdg1", which is unknown/)
    const broken = await deploy(token, newName(), { ...SITE, 'vercel.json': '{' })
    assert.deepEqual([broken.readyState, broken.errorCode], ['ERROR', 'invalid_config'])
  })

  /** Each changes what comes of the same files. */
  const SHAPING: readonly Record<string, unknown>[] = [
    { framework: 'vite' },
    { installCommand: 'npm ci' },
    { buildCommand: 'make' },
    { devCommand: 'make dev' },
    { outputDirectory: 'dist' },
    { nodeVersion: '18.x' },
    { nodeVersion: '24.x' },
    { commandForIgnoringBuildStep: 'exit 1' },
    { sourceFilesOutsideRootDirectory: false },
    { autoExposeSystemEnvs: false },
    { rootDirectory: 'apps/web' },
  ]
  for (const change of SHAPING)
    test(`the same files are another deployment after ${JSON.stringify(change)}`, async () => {
      const { token } = await server.signUp()
      const name = newName()
      const files = { ...BUILT, 'apps/web/package.json': BUILT['package.json'] }
      const first = await deploy(token, name, files)
      assert.equal((await deploy(token, name, files)).id, first.id)
      await set(token, name, change)
      const second = await deploy(token, name, files)
      assert.notEqual(second.id, first.id)
      assert.equal((await deploy(token, name, files)).id, second.id)
    })

  test('a setting that shapes nothing leaves the deployment what it is', async () => {
    const { token } = await server.signUp()
    const name = newName()
    const first = await deploy(token, name, SITE)
    await set(token, name, { directoryListing: true })
    assert.equal((await deploy(token, name, SITE)).id, first.id)
  })

  test('the branch is a part of what a deployment is, the rest of its notes is not', async () => {
    const { token } = await server.signUp()
    const name = newName()
    const on = (branch: string, more = {}) =>
      deploy(token, name, SITE, { meta: { githubCommitRef: branch, ...more } })
    const main = await on('main')
    assert.equal((await on('main', { githubCommitSha: 'abc' })).id, main.id)
    const other = await on('other')
    assert.notEqual(other.id, main.id)
    assert.equal(other.meta.githubCommitRef, 'other')
    assert.notEqual((await deploy(token, name, SITE)).id, main.id)
  })

  test('a project that a deployment makes takes the settings that came with it', async () => {
    const { token } = await server.signUp()
    const name = newName()
    const node = async (project: string) =>
      (await server.call(`GET /v9/projects/${project}`, { token })).body.nodeVersion
    const ours = { projectSettings: { nodeVersion: '24.x' } }
    const first = await deploy(token, name, SITE, ours)
    assert.equal(await node(name), '24.x')
    assert.equal((await deploy(token, name, SITE, ours)).id, first.id)
    assert.equal((await deploy(token, name, SITE)).id, first.id)
    const plain = newName()
    await deploy(token, plain, SITE)
    assert.equal(await node(plain), '20.x')
    await deploy(token, plain, { 'a.txt': 'a' }, ours)
    assert.equal(await node(plain), '20.x')
  })

  test('a project that a deployment makes is in the folder that it names, which has to be inside', async () => {
    const { token } = await server.signUp()
    const name = newName()
    const files = { 'apps/web/index.html': 'the app', 'index.html': 'the top' }
    const root = async (project: string) =>
      (await server.call(`GET /v9/projects/${project}`, { token })).body.rootDirectory
    const within = (rootDirectory: unknown) => ({ projectSettings: { rootDirectory } })
    const first = await deploy(token, name, files, within('./apps/web/'))
    assert.equal(await root(name), 'apps/web')
    assert.equal((await server.visit(first.url, '/')).body, 'the app')
    await deploy(token, name, { ...files, 'a.txt': 'a' }, within(null))
    assert.equal(await root(name), 'apps/web', 'a project that is there keeps its settings')
    for (const outside of ['../other', '/etc', 'a\nb', 7, 'a'.repeat(257)]) {
      const { status, body } = await server.call('POST /v8/platform/deployments', {
        token,
        body: { name: newName(), version: 2, files: [{ file: 'a', data: '' }], ...within(outside) },
      })
      assert.deepEqual([status, body.error.code], [400, 'bad_request'], String(outside))
      assert.match(body.error.message, /rootDirectory/)
    }
  })

  test('words of older endpoints mean nothing in a request of the current one', async () => {
    const { token } = await server.signUp()
    const files = { 'go.mod': '' }
    const made = await deploy(token, newName(), files, { type: 'STATIC', allowMissing: true })
    assert.equal(made.readyState, 'ERROR')
  })
}
