import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { type Files, manifestOf, plannedTask, type TaskChanges } from '#core/detection/plan-testing.ts'
import type { Output, OutputContent } from '#core/output/output.ts'
import { type BuildEvents, BuildFailure, type BuildTask } from '#core/ports/builder.ts'
import { type BuilderParts, createBuilder } from './builder.ts'
import { NOTHING_CACHED } from './environment/cache/project-caches.ts'
import type { BuildEnvironment, RunOptions, Workspace } from './environment/workspace.ts'
import { packJob } from './output/inside/pack-job.ts'
import { packScript } from './output/pack-script.ts'

interface Ends {
  after(fn: () => Promise<void>): void
}

/** What a command would do: the files it writes, or the code it exits with. */
type Commands = (line: string, options: RunOptions) => Files | number | undefined

interface TestBuild {
  /** Commands as `folder$ line`, lines of the log, and what was begun, ended and closed. */
  readonly logged: string[]
  readonly ran: RunOptions[]
  /** The paths that the workspace was opened with. */
  readonly opened: string[]
  readonly kept: string[]
  run(): Promise<Output>
}

/** A builder over a folder of this machine in which commands are not run but pretended. */
export async function buildOf(
  t: Ends,
  files: Files,
  commands: Commands = () => undefined,
  changes: TaskChanges & {
    readonly parts?: Partial<BuilderParts>
    readonly nodeLine?: (version: string) => string
  } = {},
): Promise<TestBuild> {
  const root = await mkdtemp(join(tmpdir(), 'aloft-builder-'))
  t.after(() => rm(root, { recursive: true, force: true }))
  const { files: manifest, read } = manifestOf(files)
  const isAborted = () => changes.signal?.aborted === true
  const logged: string[] = []
  const ran: RunOptions[] = []
  const opened: string[] = []
  const kept: string[] = []

  const source = join(root, 'source')
  const write = async (written: Files): Promise<void> => {
    for (const [path, content] of Object.entries(written)) {
      await mkdir(dirname(join(source, path)), { recursive: true })
      await writeFile(join(source, path), typeof content === 'string' ? content : JSON.stringify(content))
    }
  }
  const content = (bytes: Buffer): OutputContent => {
    const [sha1, sha256] = ['sha1', 'sha256'].map((name) => createHash(name).update(bytes).digest('hex'))
    return { sha1: sha1 as string, sha256: sha256 as string, size: bytes.length }
  }

  const run: Workspace['run'] = async (options) => {
    const canceled = () => new BuildFailure('canceled', 'The build was canceled', options.run)
    if (isAborted()) throw canceled()
    if (options.argv.includes(packScript())) {
      await packJob(source, options.argv.at(-1) as string)
      return { code: 0, reason: 'exited' }
    }
    ran.push(options)
    const line = options.argv[1] === '-c' ? (options.argv[2] ?? '') : options.argv.join(' ')
    logged.push(`${options.cwd ?? ''}$ ${options.shown ?? line}`)
    const done = commands(line, options)
    if (isAborted()) throw canceled()
    const code = typeof done === 'number' ? done : 0
    if (typeof done === 'object') await write(done)
    if (code !== 0 && !options.allowFailure)
      throw new BuildFailure('command_failed', `Command "${line}" exited with ${code}`, options.run)
    return { code, reason: 'exited' }
  }

  let folders = 0
  const open = async (given: BuildTask): Promise<Workspace> => {
    opened.push(...given.files.map(({ path }) => path))
    await write(Object.fromEntries(opened.map((path) => [path, files[path] as string])))
    return {
      task: given,
      env: given.env,
      restored: NOTHING_CACHED,
      read: async (path) => {
        const file = given.files.find((candidate) => candidate.path === path)
        return file && read(file)
      },
      run,
      note: async (_log, line) => void logged.push(line),
      folder: async (name) => {
        const folder = join(root, `${name}-${folders++}`)
        await mkdir(folder)
        return folder
      },
      installed: () => {},
      keep: (paths) => void kept.push(...paths),
      close: async () => void logged.push('closed'),
    }
  }

  const node = (version: string) => ({ folder: '/nowhere', node: '/opt/node/bin/node', version }) as const
  const environment: BuildEnvironment = { open, close: async () => {} }
  let now = 0
  const builder = createBuilder({
    environment,
    toolchains: {
      nodeLine: (version) => changes.nodeLine?.(version) ?? version,
      ensureNode: async (version) => node(version),
      ensureBun: async (version) => ({ name: 'bun', version, folder: '/nowhere' }),
      ensureTool: async (name, version) => ({ name, version, folder: '/nowhere' }),
    },
    cli: { ensure: async () => ({ folder: '/cli', node: node('24.x') }) },
    blobs: {
      read: async (sha256) => read({ sha256 } as never),
      put: async (from) => content(await buffer(from as NodeJS.ReadableStream)),
      putBytes: async (bytes) => content(Buffer.from(bytes)),
    },
    clock: { now: () => now++, monotonic: () => now++ },
    ...changes.parts,
  })
  const events: BuildEvents = {
    log: () => ({
      command: async (line) => void logged.push(`$ ${line}`),
      stdout: async (line) => void logged.push(line),
    }),
    began: async (id) => void logged.push(`began ${id}`),
    ended: async (id) => void logged.push(`ended ${id}`),
  }
  return {
    ...{ logged, ran, opened, kept },
    async run() {
      const docker = changes.parts?.docker !== undefined
      return builder.build(await plannedTask(manifest, read, { docker, ...changes }), events)
    },
  }
}
