import type { BuildLog } from '#core/log/write/build-log.ts'
import type { BuildTask } from '#core/ports/builder.ts'
import type { SandboxBind, SandboxEndReason } from '#core/ports/sandbox.ts'
import type { CachedFolders } from './cache/project-caches.ts'
import type { NodeToolchain, PackageTool } from './toolchain/toolchain.ts'

/** Where commands find things, inside the sandbox. All of it is one writable mount, so that links and renames work. */
export const INSIDE = {
  root: '/vercel',
  source: '/vercel/path0',
  home: '/vercel/home',
  tmp: '/vercel/tmp',
  /** What package managers download, kept from build to build of a project. */
  downloads: '/vercel/downloads',
} as const

export interface RunOptions {
  /**
   * The program, absolute or on PATH, and its arguments; never put through a shell. A line of a project's settings
   * is `shell(line)`.
   */
  readonly argv: readonly string[]
  /** Relative to the source's root, which is the default. */
  readonly cwd?: string
  /** Added to what `workspace.env` says; undefined takes a variable away. */
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly node: NodeToolchain
  /** Others than npm, put on PATH before it. */
  readonly tools?: readonly PackageTool[]
  readonly log: BuildLog
  /** The id of the build that a failure is told of. */
  readonly run?: string
  /** What the log calls the command; else it is made from `argv`. Null: it is not logged. */
  readonly shown?: string | null
  /** Output is not logged. */
  readonly quiet?: boolean
  /** `outbound` where left out. */
  readonly network?: 'none' | 'outbound'
  /** Of this command; that of the whole build holds in any case. */
  readonly timeoutMs?: number
  readonly memoryBytes?: number
  readonly extraBinds?: readonly SandboxBind[]
  /** An exit code other than 0 is an answer and no failure. */
  readonly allowFailure?: boolean
}

export interface RunResult {
  readonly code: number
  readonly reason: SandboxEndReason
}

export interface InstalledFolders {
  /** Where their package.json is, below the source's root. */
  readonly root: string
  /** See `CachedFolders`. */
  readonly digest: string | null
  readonly paths: readonly string[]
}

/**
 * The place in which one deployment is built. Commands run one after another, each in a sandbox of its own over the
 * same files; one that is asked for early waits. What they leave must never be walked, opened or written by this
 * process: give them a `folder` to put results in, and take from there only regular files.
 */
export interface Workspace {
  readonly task: BuildTask
  /** What every command finds in its environment, but for PATH: `task.env` and defaults below it. */
  readonly env: Readonly<Record<string, string>>
  /** What an earlier build of the project has left, and is in its place again. */
  readonly restored: CachedFolders
  /** A file of the deployment as it was uploaded, or the first 4 MB of a larger one; undefined where there is none. */
  read(path: string): Promise<Buffer | undefined>
  /**
   * Rejects with a `BuildFailure`: `command_failed`, `out_of_memory`, `build_timeout`, `disk_limit`, or `canceled`
   * once the task's signal is aborted.
   */
  run(options: RunOptions): Promise<RunResult>
  /** Writes a line of our own into a build's log. */
  note(log: BuildLog, line: string): Promise<void>
  /** A new, empty folder of the machine that outlives commands and goes with the workspace; for binds. */
  folder(name: string): Promise<string>
  /** Says that dependencies are whole in these folders: they are kept even where a later command fails. */
  installed(what: InstalledFolders): void
  /** To be called once everything has succeeded: these folders are kept as well, as far as they are there. */
  keep(paths: readonly string[]): void
  /** Ends what runs, hands what is to be kept to the project's next build, and removes the rest. Repeatable. */
  close(): Promise<void>
}

export interface BuildEnvironment {
  /**
   * Begins afresh, whatever an earlier try has left. `cache: false` leaves out what earlier builds of the project have
   * left. Rejects with the signal's reason after an abort, and with a `BuildFailure` where the files cannot be laid out.
   */
  open(task: BuildTask, options?: { readonly cache?: boolean }): Promise<Workspace>
  /** Ends what runs, and waits for what is being removed. */
  close(): Promise<void>
}

/** A line for a shell, which runs inside the sandbox. */
export const shell = (line: string): readonly string[] => ['/bin/sh', '-c', line]
