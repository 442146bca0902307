import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import {
  access,
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, it, type TestContext } from 'node:test'
import { BuildFailure, type BuildTask } from '#core/ports/builder.ts'
import { type Sandbox, SandboxError, type SandboxExit, type SandboxRun } from '#core/ports/sandbox.ts'
import { createTestClock } from '#test/support/clock.ts'
import { scratch } from '#test/support/sandbox/sandbox.ts'
import { silentLog } from '#test/support/silent-log.ts'
import { type BuildEnvironmentLimits, createBuildEnvironment } from './build-environment.ts'
import { installDependencies } from './install/install-dependencies.ts'
import { findPackageManager } from './install/package-manager.ts'
import type { PackageTool } from './toolchain/toolchain.ts'
import { shell, type Workspace } from './workspace.ts'

const EXITED: SandboxExit = { code: 0, reason: 'exited' }
const NODE = { folder: '/nowhere/node', node: '/opt/node/bin/node', version: '20.20.2' } as const

type Act = (root: string, run: SandboxRun) => Promise<Partial<SandboxExit> & { output?: string }>

/** A sandbox in which the test itself is the program; it works on the writable folder where that is on the machine. */
function sandboxOf(act: Act): Sandbox & { readonly runs: SandboxRun[] } {
  const runs: SandboxRun[] = []
  return {
    kind: 'bubblewrap',
    report: {
      ...{ way: 'bubblewrap', network: 'fenced', missing: [], notTaken: [] },
      limits: { memory: 'run', cpu: 'run', processes: 'run', systemCalls: true },
    },
    missing: [],
    boundsFolders: false,
    runs,
    spawn(run) {
      runs.push(run)
      const root = run.binds.find(({ inside }) => inside === '/vercel')?.host ?? assert.fail()
      const aborted = new Promise<{ reason: 'aborted'; code: null; output?: string }>((resolve) =>
        run.signal?.addEventListener('abort', () => resolve({ reason: 'aborted', code: null })),
      )
      const ended = Promise.race([act(root, run), aborted])
      const exit = ended.then(({ output: _, ...how }) => ({ ...EXITED, ...how }))
      exit.catch(() => {})
      async function* stdout() {
        const { output = '' } = await ended.catch(() => ({ output: '' }))
        yield Buffer.from(output)
      }
      return { stdout: Readable.from(stdout()), stderr: Readable.from([]), exit, kill() {} }
    },
    async close() {},
  }
}

const nothing: Act = async () => ({})
const MANIFEST = JSON.stringify({ dependencies: { a: '1' } })

interface Site {
  readonly id?: string
  readonly project?: string
  readonly owner?: string
  readonly files?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  readonly target?: 'production' | 'staging'
  readonly meta?: Readonly<Record<string, string>>
}

async function setUp(t: TestContext, act: Act = nothing, limits: Partial<BuildEnvironmentLimits> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-build-'))
  const contents = new Map<string, Buffer>()
  const sandbox = sandboxOf(act)
  const clock = createTestClock()
  const environment = createBuildEnvironment({
    ...{ folder, sandbox, clock, log: silentLog, limits: { freeBytes: 1, ...limits } },
    blobs: {
      read: async (sha256) => contents.get(sha256),
      open: async (sha256, { start, end } = { start: 0 }) =>
        Readable.from([(contents.get(sha256) ?? assert.fail()).subarray(start, end)]),
    },
    registry: async () => ({ url: 'http://registry.example/' }),
  })
  t.after(async () => {
    await environment.close()
    await rm(folder, { recursive: true, force: true })
  })
  let deployments = 0
  const taskOf = (site: Site = {}) => {
    const files = Object.entries(site.files ?? { 'package.json': MANIFEST, 'package-lock.json': '{}' }).map(
      ([path, text]) => {
        const bytes = Buffer.from(text)
        const sha256 = createHash('sha256').update(bytes).digest('hex')
        contents.set(sha256, bytes)
        return {
          path,
          sha256,
          sha1: '',
          size: bytes.length,
          mode: path.endsWith('.sh') ? 0o100755 : 0o100644,
        }
      },
    )
    return {
      deployment: {
        id: site.id ?? `dpl_${deployments++}`,
        target: site.target ?? null,
        meta: site.meta ?? {},
      },
      project: { id: site.project ?? 'prj', ownerId: site.owner ?? 'own' },
      files,
      env: { MINE: 'value', HOME: '/elsewhere', NODE_ENV: 'production' },
      secrets: ['hunter22'],
      signal: site.signal ?? new AbortController().signal,
      plan: { nodeVersion: '22.x' },
    } as unknown as BuildTask
  }
  const lines: string[] = []
  const log = {
    command: async (line: string) => void lines.push(`$ ${line}`),
    stdout: async (line: string) => void lines.push(line),
  }
  const open = (site?: Site) => environment.open(taskOf(site))
  return { folder, sandbox, clock, environment, lines, log, open, run: runIn(log) }
}

const runIn =
  (log: Parameters<Workspace['run']>[0]['log']) =>
  (workspace: Workspace, line: string, more: Partial<Parameters<Workspace['run']>[0]> = {}) =>
    workspace.run({ argv: shell(line), node: NODE, log, ...more })

const failure = (code: string, message: RegExp) => (error: unknown) =>
  error instanceof BuildFailure && error.code === code && message.test(error.message)
const there = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  )

const noTools = {
  ensureTool: async (name: PackageTool['name'], version: string) => ({ name, version, folder: '/nowhere' }),
}

describe('a workspace', () => {
  it('tells of a lock file of any size by which tool it was written', async (t) => {
    const { open } = await setUp(t)
    const lock = `# a lock\n\n__metadata:\n  version: 8\n${'"a@npm:1": x\n'.repeat(2 ** 19)}`
    const workspace = await open({ files: { 'yarn.lock': lock } })
    const beginning = (await workspace.read('yarn.lock'))?.toString() ?? ''
    assert.deepEqual([beginning.length, lock.startsWith(beginning)], [4 * 2 ** 20, true])
    const manager = await findPackageManager({
      ...{ root: '', paths: new Set(['yarn.lock']), packageJson: {}, nodeVersion: '22.x' },
      read: async (path) => (await workspace.read(path))?.toString() ?? '',
    })
    assert.match(manager.tool?.version ?? '', /^4\./)
    await workspace.close()
  })

  it('holds the files of the deployment and nothing of an earlier try', async (t) => {
    const { folder, open } = await setUp(t)
    const files = { 'a/b/run.sh': 'x', 'a/c': 'y'.repeat(2 ** 20 + 1), index: '' }
    await mkdir(join(folder, 'workspaces/dpl_x/root/path0/left'), { recursive: true })
    const workspace = await open({ id: 'dpl_x', files })
    const source = join(folder, 'workspaces/dpl_x/root/path0')
    assert.deepEqual((await readdir(source, { recursive: true })).sort(), [
      'a',
      'a/b',
      'a/b/run.sh',
      'a/c',
      'index',
    ])
    for (const [path, text] of Object.entries(files))
      assert.equal(await readFile(join(source, path), 'utf8'), text)
    await access(join(source, 'a/b/run.sh'), 1)
    assert.equal((await workspace.read('a/b/run.sh'))?.toString(), 'x')
    assert.equal(await workspace.read('../x'), undefined)
    await workspace.close()
    await workspace.close()
    assert.ok(!(await there(join(folder, 'workspaces/dpl_x'))))
  })

  it('refuses paths that leave it', async (t) => {
    const { open } = await setUp(t)
    for (const path of ['../x', '/x', 'a/../../x', 'a//b', '.'])
      await assert.rejects(open({ files: { [path]: '' } }), failure('bad_file', /not a valid path/), path)
  })

  it('gives commands the environment of the task under its own, and the programs of the project', async (t) => {
    const { open, run, sandbox } = await setUp(t)
    const workspace = await open()
    await run(workspace, 'x', { cwd: 'apps/web', env: { MORE: '1', NODE_ENV: undefined } })
    const { env, cwd, argv, limits } = sandbox.runs[0] ?? assert.fail()
    assert.deepEqual(argv, ['/bin/sh', '-c', 'x'])
    assert.equal(cwd, '/vercel/path0/apps/web')
    assert.deepEqual([env.MINE, env.MORE, env.HOME, env.NODE_ENV], ['value', '1', '/vercel/home', undefined])
    assert.match(
      env.PATH ?? '',
      /^\/vercel\/path0\/apps\/web\/node_modules\/\.bin:\/vercel\/path0\/apps\/node_modules\/\.bin:\/vercel\/path0\/node_modules\/\.bin:\/opt\/node\/bin:/,
    )
    assert.ok(limits.wallMs > 0 && limits.wallMs <= 45 * 60_000)
    await assert.rejects(run(workspace, 'x', { cwd: '../..' }), failure('command_failed', /not a folder/))
  })

  it('runs commands and installs in a folder whose name begins with a dot', async (t) => {
    const { open, run, sandbox, log } = await setUp(t)
    const workspace = await open({ files: { '.docs/package.json': MANIFEST } })
    const { how } = await installDependencies(workspace, noTools, { root: '.docs', node: NODE, log })
    assert.equal(how, 'installed')
    for (const cwd of ['.docs', './.docs/', '.', './']) await run(workspace, 'x', { cwd })
    const [docs, top] = ['/vercel/path0/.docs', '/vercel/path0']
    assert.deepEqual(
      sandbox.runs.map(({ cwd }) => cwd),
      [docs, docs, docs, top, top],
    )
  })

  it('logs a command and what it writes, without secrets', async (t) => {
    const { open, run, lines } = await setUp(t, async () => ({ output: 'one\nhunter22\n' }))
    const workspace = await open()
    await run(workspace, 'echo hunter22')
    await run(workspace, 'x', { quiet: true, shown: null })
    await run(workspace, '', { argv: ['node', "it's", 'a'] })
    assert.deepEqual(lines, [
      ...['$ echo [redacted]', 'one', '[redacted]'],
      ...["$ node 'it'\\''s' a", 'one', '[redacted]'],
    ])
  })

  it('runs one command at a time', async (t) => {
    let running = 0
    const { open, run } = await setUp(t, async () => {
      assert.equal(++running, 1)
      await new Promise(setImmediate)
      running--
      return {}
    })
    const workspace = await open()
    await Promise.all([run(workspace, 'a'), run(workspace, 'b'), run(workspace, 'c')])
  })
})

describe('a command that fails', () => {
  it('tells of its exit code, unless that is an answer', async (t) => {
    const { open, run } = await setUp(t, async () => ({ code: 3 }))
    const workspace = await open()
    await assert.rejects(
      run(workspace, 'make hunter22', { run: 'bld_1' }),
      (error) =>
        failure('command_failed', /^Command "make \[redacted\]" exited with 3$/)(error) &&
        (error as BuildFailure).run === 'bld_1',
    )
    assert.deepEqual(await run(workspace, 'make', { allowFailure: true }), { code: 3, reason: 'exited' })
  })

  it('tells of memory and of time', async (t) => {
    const ends: Partial<SandboxExit>[] = [
      { code: 137, reason: 'memory' },
      { code: null, reason: 'timeout' },
    ]
    const { open, run, clock, sandbox } = await setUp(t, async () => ends.shift() ?? {})
    const workspace = await open()
    await assert.rejects(run(workspace, 'x'), failure('out_of_memory', /2 GiB/))
    await assert.rejects(
      run(workspace, 'x', { timeoutMs: 5000 }),
      failure('build_timeout', /time limit of 5 seconds/),
    )
    assert.ok((sandbox.runs[1]?.limits.wallMs ?? 0) <= 5000)
    clock.advance(46 * 60_000)
    await assert.rejects(run(workspace, 'x'), failure('build_timeout', /time limit of 45 minutes/))
    assert.equal(sandbox.runs.length, 2)
  })

  it('tells of an abort, and of a workspace that is closed', async (t) => {
    const abort = new AbortController()
    const { open, run } = await setUp(t, () => new Promise(() => abort.abort()))
    const workspace = await open({ signal: abort.signal })
    await assert.rejects(run(workspace, 'x'), failure('canceled', /canceled/))
    const other = await open()
    const running = assert.rejects(run(other, 'x'), failure('canceled', /canceled/))
    await other.close()
    await running
    await assert.rejects(run(other, 'x'), failure('canceled', /canceled/))
  })

  it('is ended when it takes too much disk space', async (t) => {
    const { open, run } = await setUp(
      t,
      async (root) => {
        await writeFile(join(root, 'path0/big'), Buffer.alloc(4 * 2 ** 20, 1))
        return new Promise(() => {})
      },
      { diskBytes: 2 ** 20 },
    )
    const workspace = await open()
    await assert.rejects(run(workspace, 'x'), failure('disk_limit', /more than 1 MiB/))
    const full = await setUp(t, () => new Promise(() => {}), { freeBytes: Number.MAX_SAFE_INTEGER })
    await assert.rejects(
      full.run(await full.open(), 'x'),
      failure('disk_limit', /disk of this machine is full: [\d.]+ [GT]iB are free, and 8 PiB are reserved/),
    )
  })

  it('is ended when it makes too many files, however empty they are', async (t) => {
    const { open, run } = await setUp(
      t,
      async (root) => {
        for (let i = 0; i < 300; i++) await writeFile(join(root, `path0/${i}`), '')
        return new Promise(() => {})
      },
      { diskFiles: 200 },
    )
    await assert.rejects(run(await open(), 'x'), failure('disk_limit', /more than 200 files/))
  })

  it('tells of a program or folder that is not there, and passes on what is the platform’s fault', async (t) => {
    const said = ['bwrap: execvp foo: No such file or directory', "bwrap: Can't chdir to /vercel/x", 'other']
    const { open, run } = await setUp(t, async () => {
      throw new SandboxError('not_started', said.shift() ?? '')
    })
    const workspace = await open()
    await assert.rejects(run(workspace, 'x'), failure('command_failed', /no such program/))
    await assert.rejects(run(workspace, 'x'), failure('command_failed', /folder does not exist/))
    await assert.rejects(run(workspace, 'x'), SandboxError)
  })

  it('is tried again when its sandbox could not be started', async (t) => {
    let starts = 0
    const { open, run } = await setUp(t, async () => {
      starts += 1
      if (starts < 3) throw new SandboxError('not_started', 'the network is busy')
      return {}
    })
    await run(await open(), 'x')
    assert.equal(starts, 3)
  })
})

/** As `npm install` would leave it, and a build. */
const installing: Act = async (root, { argv }) => {
  if (!argv[2]?.includes('install')) return {}
  await mkdir(join(root, 'path0/node_modules/a'), { recursive: true })
  await writeFile(join(root, 'path0/node_modules/a/index.js'), 'a')
  await mkdir(join(root, 'downloads/npm'), { recursive: true })
  return {}
}

describe('what a build leaves for the next', () => {
  it('is the dependencies: unchanged ones are not installed again', async (t) => {
    const { open, log, lines, sandbox, folder } = await setUp(t, installing)
    const build = async (site?: Site, command?: string) => {
      const workspace = await open(site)
      const options = { node: NODE, log, ...(command ? { installCommand: command } : {}) }
      const { how } = await installDependencies(workspace, noTools, options)
      const { id } = workspace.task.deployment
      const restored = await there(join(folder, 'workspaces', id, 'root/path0/node_modules/a/index.js'))
      const downloads = await there(join(folder, 'workspaces', id, 'root/downloads/npm'))
      assert.ok(restored && downloads)
      await workspace.close()
      return how
    }
    assert.equal(await build(), 'installed')
    assert.equal(sandbox.runs[0]?.env.NODE_ENV, undefined)
    assert.equal(await build(), 'unchanged')
    assert.equal(lines.at(-1), 'Dependencies are unchanged since the last build')
    assert.equal(sandbox.runs.length, 1)
    // Another lock file, another command, one that does more than install.
    const other = { files: { 'package.json': MANIFEST, 'package-lock.json': '{ }' } }
    assert.equal(await build(other), 'installed')
    assert.equal(await build(other, 'npm install --force'), 'installed')
    assert.equal(await build(other, 'npm install && make'), 'installed')
    assert.equal(await build(other, 'npm install && make'), 'installed')
    // Nothing that is locked, scripts of the project's own.
    assert.equal(await build({ files: { 'package.json': MANIFEST } }), 'installed')
    const scripts = JSON.stringify({ scripts: { postinstall: 'x' } })
    for (let i = 0; i < 2; i++)
      assert.equal(
        await build({ files: { 'package.json': scripts, 'package-lock.json': '{}' } }),
        'installed',
      )
  })

  it('is nothing where package.json names no packages, and npm is not run', async (t) => {
    const { open, log, sandbox } = await setUp(t, installing)
    const install = async (files: Readonly<Record<string, string>>, installCommand?: string) => {
      const workspace = await open({ files })
      const options = { node: NODE, log, ...(installCommand ? { installCommand } : {}) }
      const { how } = await installDependencies(workspace, noTools, options)
      await workspace.close()
      return how
    }
    const none = { 'package.json': '{"type":"module"}', 'index.js': '' }
    assert.equal(await install(none), 'skipped')
    assert.equal(sandbox.runs.length, 0)
    assert.equal(await install(none, 'npm install ms'), 'installed')
    // Npm takes away what the build before had.
    assert.equal(await install(none), 'installed')
    assert.equal(sandbox.runs.length, 2)
  })

  it('is kept for each package of the deployment', async (t) => {
    const { open, log } = await setUp(t, async (root, { cwd }) => {
      await mkdir(join(root, cwd.replace('/vercel/', ''), 'node_modules/a'), { recursive: true })
      return {}
    })
    const locked = (folder: string) => ({
      [`${folder}/package.json`]: MANIFEST,
      [`${folder}/package-lock.json`]: '{}',
    })
    const build = async (folders: readonly string[], files: Readonly<Record<string, string>>) => {
      const workspace = await open({ files })
      const how: string[] = []
      for (const root of folders)
        how.push((await installDependencies(workspace, noTools, { root, node: NODE, log })).how)
      await workspace.close()
      return how
    }
    const files = { ...locked('web'), ...locked('api/v1') }
    assert.deepEqual(await build(['web', 'api/v1'], files), ['installed', 'installed'])
    assert.deepEqual(await build(['web', 'api/v1'], files), ['unchanged', 'unchanged'])
    const changed = { ...files, 'web/package-lock.json': '[]' }
    assert.deepEqual(await build(['web', 'api/v1'], changed), ['installed', 'unchanged'])
    // One that was uploaded stays in its place, so what is there may not be whole.
    const uploaded = { ...changed, 'web/node_modules/mine': '' }
    assert.deepEqual(await build(['api/v1'], uploaded), ['installed'])
  })

  it('is what Yarn installs of a package that is not among the workspaces of its lock file', async (t) => {
    const { open, log, sandbox } = await setUp(t, installing)
    const install = async (root: string, manifest: object, lock = '__metadata:\n  version: 8\n') => {
      const files = {
        'package.json': JSON.stringify(manifest),
        'yarn.lock': lock,
        'api/package.json': '{"type":"module"}',
      }
      const workspace = await open({ files })
      await installDependencies(workspace, noTools, { root, node: NODE, log })
      await workspace.close()
      const { argv, cwd, env } = sandbox.runs.at(-1) ?? assert.fail()
      return [argv[2], cwd, env.YARN_ENABLE_IMMUTABLE_INSTALLS]
    }
    const [there, below] = ['/vercel/path0', '/vercel/path0/api']
    assert.deepEqual(await install('', {}), ['yarn install', there, undefined])
    assert.deepEqual(await install('api', {}), ['touch yarn.lock && yarn install', below, 'false'])
    assert.deepEqual(await install('api', { workspaces: ['api'] }), ['yarn install', there, undefined])
    assert.deepEqual(await install('api', {}, '# yarn lockfile v1\n'), ['yarn install', below, undefined])
  })

  it('is not shared by previews and production', async (t) => {
    const { open, log } = await setUp(t, installing)
    const preview = await open({ target: 'staging' })
    await installDependencies(preview, noTools, { node: NODE, log })
    await preview.close()
    assert.deepEqual((await open({ target: 'production' })).restored.paths, [])
    assert.deepEqual((await open()).restored.paths, ['node_modules'])
  })

  it('of a fork is shared with that fork’s branch alone', async (t) => {
    const { open, log } = await setUp(t, installing)
    const [mine, other] = ['eve:main', 'bob:main'].map((gitBranch) => ({ meta: { gitBranch, gitFork: '1' } }))
    const first = await open(mine)
    await installDependencies(first, noTools, { node: NODE, log })
    await first.close()
    for (const site of [{}, { target: 'production' as const }, other])
      assert.deepEqual((await open(site)).restored.paths, [])
    assert.deepEqual((await open(mine)).restored.paths, ['node_modules'])
  })

  it('is for one build at a time, and for no other project', async (t) => {
    const { open, log } = await setUp(t, installing)
    const first = await open()
    await installDependencies(first, noTools, { node: NODE, log })
    await first.close()
    for (const site of [{ project: 'other' }, { owner: 'other' }])
      assert.deepEqual((await open(site)).restored.paths, [])
    const second = await open()
    assert.deepEqual(second.restored.paths, ['node_modules'])
    assert.deepEqual((await open()).restored.paths, [])
    // It was opened and nothing ran: what it had is there for the next.
    await second.close()
    const third = await open()
    assert.deepEqual(third.restored.paths, ['node_modules'])
  })

  it('are the folders that a framework names, once the build has succeeded', async (t) => {
    const { open, log, run, folder } = await setUp(t, async (root, asked) => {
      await mkdir(join(root, 'path0/.next/cache/x'), { recursive: true })
      await mkdir(join(root, 'path0/sub'), { recursive: true })
      return installing(root, asked)
    })
    const first = await open()
    await installDependencies(first, noTools, { node: NODE, log })
    await run(first, 'build')
    first.keep(['.next/cache', 'absent', '../..', 'node_modules/a', 'sub'])
    await first.close()
    const second = await open({ files: { 'sub/mine': '' } })
    assert.deepEqual(second.restored.paths, ['node_modules', '.next/cache'])
    const source = join(folder, 'workspaces', second.task.deployment.id, 'root/path0')
    assert.deepEqual(await readdir(join(source, '.next/cache')), ['x'])
    assert.deepEqual(await readdir(join(source, 'sub')), ['mine'])
  })

  it('is little after a command that was ended in the midst', async (t) => {
    let reason: SandboxExit['reason'] = 'exited'
    const { open, log, run, folder } = await setUp(t, async (root, asked) => {
      await installing(root, asked)
      return asked.argv[2] === 'build' ? { reason, code: 1 } : {}
    })
    const build = async () => {
      const workspace = await open()
      await installDependencies(workspace, noTools, { node: NODE, log })
      await assert.rejects(run(workspace, 'build'), BuildFailure)
      await workspace.close()
      const next = await open()
      const downloads = await there(join(folder, 'workspaces', next.task.deployment.id, 'root/downloads'))
      await next.close()
      return [next.restored.paths, downloads]
    }
    assert.deepEqual(await build(), [['node_modules'], true])
    reason = 'timeout'
    assert.deepEqual(await build(), [[], true])
  })

  it('is never taken through links', async (t) => {
    const outside = await scratch(t)
    await mkdir(join(outside, 'node_modules/private'), { recursive: true })
    await mkdir(join(outside, 'cache'))
    const { open, log, run } = await setUp(t, async (root, asked) => {
      await installing(root, asked)
      if (asked.argv[2] !== 'build') return {}
      await symlink(outside, join(root, 'path0/.next'))
      await rename(join(root, 'path0/node_modules'), join(root, 'path0/elsewhere'))
      await symlink(join(outside, 'node_modules'), join(root, 'path0/node_modules'))
      await rename(join(root, 'downloads'), join(root, 'path0/downloads'))
      await symlink(outside, join(root, 'downloads'))
      return {}
    })
    const first = await open()
    await installDependencies(first, noTools, { node: NODE, log })
    await run(first, 'build')
    first.keep(['.next/cache'])
    await first.close()
    assert.deepEqual((await readdir(outside)).sort(), ['cache', 'node_modules'])
    assert.deepEqual(await readdir(join(outside, 'node_modules')), ['private'])
    assert.deepEqual((await open()).restored.paths, [])
  })

  it('is dropped, the oldest first, when all together takes too much', async (t) => {
    const { open, log, environment, folder } = await setUp(
      t,
      async (root, asked) => {
        await installing(root, asked)
        await writeFile(join(root, 'path0/node_modules/a/big'), Buffer.alloc(2 ** 20, 1))
        return {}
      },
      { cacheBytes: 3 * 2 ** 20 - 1 },
    )
    for (const project of ['one', 'two', 'three']) {
      const workspace = await open({ project })
      await installDependencies(workspace, noTools, { node: NODE, log })
      await workspace.close()
    }
    await environment.close()
    assert.equal((await readdir(join(folder, 'caches'))).length, 2)
    assert.deepEqual((await open({ project: 'one' })).restored.paths, [])
    assert.deepEqual((await open({ project: 'three' })).restored.paths, ['node_modules'])
  })
})

it('removes what cannot be written and is very deep', async (t) => {
  const { open, run, environment, folder } = await setUp(t, async (root) => {
    // Deeper than a path can be.
    const part = 'd'.repeat(200)
    const path = join(root, 'path0', ...Array(15).fill(part))
    await mkdir(path, { recursive: true })
    let inner = join(root, 'path0', part)
    for (let i = 0; i < 3; i++) {
      const outer = join(root, 'path0', `x${i}`)
      const chain = join(outer, ...Array(15).fill(part))
      await mkdir(chain, { recursive: true })
      await rename(inner, join(chain, 'more'))
      inner = outer
    }
    await chmod(dirname(path).split(part)[0] ?? '', 0o555)
    return {}
  })
  await run(await open(), 'x')
  await environment.close()
  for (const place of ['workspaces', 'trash']) assert.deepEqual(await readdir(join(folder, place)), [])
})
