import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { showLimit } from '#contract/amounts.ts'
import type { BuildLog } from '#core/log/write/build-log.ts'
import type { CodeRuntime } from '#core/output/output.ts'
import { DEFAULT_MAX_DURATION, DEFAULT_MEMORY_MB, type Output } from '#core/output/output.ts'
import { BuildFailure } from '#core/ports/builder.ts'
import type { NodeToolchain } from '../environment/toolchain/toolchain.ts'
import type { RunOptions, Workspace } from '../environment/workspace.ts'
import { BadIndex, checkIndex } from './check-index.ts'
import { hasIndexShape } from './index-schema.ts'
import {
  type FunctionsTask,
  INDEX_FILE,
  type Index,
  type IndexFault,
  JOB_FILE,
  type PackLimits,
  type Task,
} from './inside/job.ts'
import { packScript, scriptBinds } from './pack-script.ts'
import { readResult } from './result-files.ts'
import { type ContentStore, storeContents } from './store-contents.ts'
import { toOutput } from './to-output.ts'

/** From where output is collected and to where. */
export interface Collection {
  readonly workspace: Pick<Workspace, 'env' | 'run' | 'note' | 'folder'> & {
    readonly task: Pick<Workspace['task'], 'signal'>
  }
  /** The Node that packs, whatever the deployment's own is: 24 or later. */
  readonly node: NodeToolchain
  readonly blobs: ContentStore
  readonly log: BuildLog
  /** The id of the build that a failure is told of. */
  readonly run?: string
  readonly limits?: Partial<PackLimits>
}

const PACK_LIMITS: PackLimits = {
  files: 100_000,
  functions: 10_000,
  programFiles: 200_000,
  programBytes: 2 ** 30,
  totalBytes: 8 * 2 ** 30,
  depth: 64,
}

const MAX_INDEX_BYTES = 32 * 2 ** 20

interface Optional {
  /** Undefined is answered where there is none, which else is a `missing_output`. */
  readonly optional?: boolean
}

/** What a build left in the form of the Build Output API, by default in `.vercel/output`. */
export const collectBuildOutput = (
  collection: Collection,
  { folder = '.vercel/output', optional = false }: { readonly folder?: string } & Optional = {},
): Promise<Output | undefined> => collect(collection, { kind: 'build-output', folder, optional })

/** Functions from sources, each with what it needs of the workspace. */
export const collectFunctions = async (
  collection: Collection,
  { root = '', functions, packages = [] }: Pick<FunctionsTask, 'functions'> & Partial<FunctionsTask>,
): Promise<Output> => present(await collect(collection, { kind: 'functions', root, functions, packages }))

interface StaticFolders extends Optional {
  /** Relative to the workspace, best first; the first that has files is taken. */
  readonly folders: readonly string[]
  /** The path under which the files are served, such as `docs`. */
  readonly prefix?: string
  /** Globs, relative to the folder. */
  readonly exclude?: readonly string[]
}

/** Files that are served as they are; those of version control, dependencies and `.env` are not. */
export const collectStatic = (
  collection: Collection,
  { folders, optional = false, prefix = '', exclude = [] }: StaticFolders,
): Promise<Output | undefined> => collect(collection, { kind: 'static', folders, optional, prefix, exclude })

interface App {
  readonly root?: string
  readonly paths: readonly string[]
  readonly runtime?: CodeRuntime
  readonly version: string
  readonly memoryMb?: number
  readonly maxDuration?: number
  readonly env?: Readonly<Record<string, string>>
  /** Files to load, of which the first that exists is taken, or a command to run. */
  readonly start: { readonly entries: readonly string[] } | { readonly command: readonly string[] }
}

/** A whole folder as one program: the files it is seen to need where it has an entry, everything for a command. */
export async function collectApp(collection: Collection, app: App): Promise<Output> {
  const { root = '', runtime = 'node', env = {} } = app
  const { memoryMb = DEFAULT_MEMORY_MB, maxDuration = DEFAULT_MAX_DURATION, paths, version, start } = app
  return present(
    await collect(collection, {
      kind: 'app',
      root,
      paths,
      runtime,
      version,
      memoryMb,
      maxDuration,
      env,
      start,
    }),
  )
}

/** What is asked before anything is served; its rules come before all others. */
export const collectMiddleware = async (
  collection: Collection,
  { file, version }: { readonly file: string; readonly version: string },
): Promise<Output> =>
  present(
    await collect(collection, {
      ...{ kind: 'middleware', file, version },
      ...{ memoryMb: DEFAULT_MEMORY_MB, maxDuration: DEFAULT_MAX_DURATION },
    }),
  )

function present(output: Output | undefined): Output {
  if (output === undefined) throw new Error('The output must not be missing')
  return output
}

/** Packs inside the sandbox and takes what came of it. */
async function collect(collection: Collection, task: Task): Promise<Output | undefined> {
  const { workspace, blobs, run } = collection
  const limits = { ...PACK_LIMITS, ...collection.limits }
  const folder = await workspace.folder('results')
  try {
    await writeFile(join(folder, JOB_FILE), JSON.stringify({ task, limits }), { flag: 'wx', mode: 0o644 })
    const code = await pack(collection, folder)
    const index = await readIndex(folder, code, limits)
    if ('fault' in index) throw failureOf(index.fault, run)
    for (const note of index.notes) await workspace.note(collection.log, plain(note))
    if (index.absent) return undefined
    const stored = await storeContents(blobs, folder, index.contents, workspace.task.signal)
    return await toOutput(index, stored)
  } catch (error) {
    // Lists in lists in lists…, deeper than the stack is.
    const why = error instanceof RangeError ? 'its index is too deep' : (error as Error).message
    if (!(error instanceof BadIndex || error instanceof RangeError)) throw error
    throw new BuildFailure('invalid_output', `The output of the build cannot be used: ${why}`, run)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function pack({ workspace, node, log, run }: Collection, folder: string): Promise<number> {
  const script = packScript()
  const options: RunOptions = {
    argv: [node.node, script, folder],
    // Nothing of the owner's has a say in how the script runs.
    env: Object.fromEntries(Object.keys(workspace.env).map((name) => [name, undefined])),
    node,
    log,
    ...(run === undefined ? {} : { run }),
    shown: null,
    quiet: true,
    network: 'none',
    extraBinds: [...scriptBinds(script), { host: folder, inside: folder, writable: true }],
    allowFailure: true,
  }
  const { code } = await workspace.run(options).catch((error) => {
    if (!(error instanceof BuildFailure)) throw error
    // The command is ours, and none of the owner's business.
    const message = error.message.replace(/^Command ".*" /s, 'Packing the output ')
    throw new BuildFailure(error.code, message, run)
  })
  return code
}

async function readIndex(folder: string, code: number, limits: PackLimits) {
  if (code !== 0) throw new BadIndex('it could not be packed')
  const text = (await readResult(folder, INDEX_FILE, MAX_INDEX_BYTES)).toString('utf8')
  let index: unknown
  try {
    index = JSON.parse(text)
  } catch {
    throw new BadIndex('its index is not JSON')
  }
  if (!hasIndexShape(index)) throw new BadIndex('its index is malformed')
  if (!('fault' in index)) checkIndex(index satisfies Index, limits)
  return index
}

/** What packs knows no units but bytes. */
const inUnits = (text: string): string =>
  text.replace(/(?<=than )(\d+) bytes\b/, (_, bytes) => showLimit(Number(bytes)))

const failureOf = ({ code, message }: IndexFault['fault'], run: string | undefined): BuildFailure =>
  new BuildFailure(codeOf(code), plain(code === 'too_large' ? inUnits(message) : message), run)

const codeOf = (code: string): string => (/^[a-z_]{1,64}$/.test(code) ? code : 'invalid_output')

/** Without what a terminal or a log could take for something else. */
const plain = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').slice(0, 2000)
