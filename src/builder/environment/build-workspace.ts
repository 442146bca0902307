import { mkdir } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { showLimit } from '#contract/amounts.ts'
import { MINUTE } from '#contract/time.ts'
import type { BuildLog } from '#core/log/write/build-log.ts'
import type { BlobStore } from '#core/ports/blob-store.ts'
import { BuildFailure, type BuildTask } from '#core/ports/builder.ts'
import type { Clock } from '#core/ports/clock.ts'
import {
  type Sandbox,
  type SandboxBind,
  SandboxError,
  type SandboxExit,
  type SandboxLimits,
} from '#core/ports/sandbox.ts'
import { type CachedFolders, NOTHING_CACHED } from './cache/project-caches.ts'
import type { CommandLog } from './command/command-log.ts'
import { CA_INSIDE, pathInside } from './command/default-variables.ts'
import type { Redactor } from './command/redact.ts'
import { type DiskLimits, DiskWatcher } from './disk-watch.ts'
import { isPlainPath, relativeFolder } from './source-files.ts'
import {
  INSIDE,
  type InstalledFolders,
  type RunOptions,
  type RunResult,
  type Workspace,
} from './workspace.ts'

interface WorkspaceParts {
  readonly task: BuildTask
  /** On the machine: `root` is bound at `INSIDE.root`, and what is beside it is ours. */
  readonly folder: string
  readonly sandbox: Sandbox
  readonly blobs: Pick<BlobStore, 'read' | 'open'>
  readonly clock: Clock
  readonly env: Readonly<Record<string, string>>
  readonly caFile: string | undefined
  readonly restored: CachedFolders
  readonly limits: Omit<SandboxLimits, 'outputBytes'> & DiskLimits
  readonly redactor: Redactor
  readonly commandLog: CommandLog
  /** Takes what is to be kept and removes the folder. */
  readonly clear: (keeping: CachedFolders | undefined) => Promise<void>
}

const READ_BYTES = 4 * 2 ** 20
const PLAIN_WORD = /^[\w@%+=:,./-]+$/

/** As one would type it. */
const typed = (argv: readonly string[]): string =>
  argv[0] === '/bin/sh' && argv[1] === '-c' && argv[2] !== undefined
    ? argv[2]
    : argv.map((word) => (PLAIN_WORD.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(' ')

export class BuildWorkspace implements Workspace {
  readonly task: BuildTask
  readonly env: Readonly<Record<string, string>>
  readonly restored: CachedFolders
  readonly #parts: WorkspaceParts
  readonly #disk: DiskWatcher
  readonly #deadline: number
  readonly #ended = new AbortController()
  #last: Promise<unknown> = Promise.resolve()
  #folders = 0
  #installed: CachedFolders | undefined
  #kept: readonly string[] | undefined
  #ran = false
  /** A command was ended in the midst of its work, so what it wrote may be half of something; or it wrote too much. */
  #broken: 'ended' | 'overfull' | undefined
  #closing: Promise<void> | undefined

  constructor(parts: WorkspaceParts) {
    this.#parts = parts
    this.#disk = new DiskWatcher(parts.folder, parts.limits)
    this.task = parts.task
    this.env = parts.env
    this.restored = parts.restored
    this.#deadline = parts.clock.monotonic() + parts.limits.wallMs
  }

  async read(path: string): Promise<Buffer | undefined> {
    const file = this.task.files.find((candidate) => candidate.path === path)
    if (file === undefined) return undefined
    const { blobs } = this.#parts
    if (file.size <= READ_BYTES) return blobs.read(file.sha256)
    const beginning = await blobs.open(file.sha256, { start: 0, end: READ_BYTES })
    return beginning && buffer(beginning)
  }

  note(log: BuildLog, line: string): Promise<void> {
    return this.#parts.commandLog.note(log, line)
  }

  async folder(name: string): Promise<string> {
    const path = join(this.#parts.folder, `${this.#folders++}-${name.replace(/[^\w-]/g, '')}`)
    await mkdir(path, { mode: 0o755 })
    return path
  }

  installed({ root, digest, paths }: InstalledFolders): void {
    const before = this.#installed ?? NOTHING_CACHED
    this.#installed = {
      digests: digest === null ? before.digests : { ...before.digests, [root]: digest },
      paths: [...before.paths, ...paths],
    }
  }

  keep(paths: readonly string[]): void {
    this.#kept = paths
  }

  run(options: RunOptions): Promise<RunResult> {
    const result = this.#last.then(() => this.#run(options))
    this.#last = result.catch(() => {})
    return result
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    this.#ended.abort()
    await this.#last
    await this.#parts.clear(this.#keeping())
  }

  /** Downloads are kept with it, which package managers check by themselves. */
  #keeping(): CachedFolders | undefined {
    if (this.#broken === 'overfull') return undefined
    if (!this.#ran) return this.restored
    if (this.#broken || !this.#installed) return NOTHING_CACHED
    return { ...this.#installed, paths: [...this.#installed.paths, ...(this.#kept ?? [])] }
  }

  async #run(options: RunOptions): Promise<RunResult> {
    const { commandLog, redactor, limits } = this.#parts
    const shown = options.shown === undefined ? typed(options.argv) : options.shown
    const fail = (code: string, message: string) =>
      new BuildFailure(code, redactor.redact(message), options.run)
    const name = `Command "${shown ?? typed(options.argv)}"`
    const canceled = () => fail('canceled', 'The build was canceled')
    const { signal } = this.task
    if (signal.aborted || this.#ended.signal.aborted) throw canceled()
    const left = this.#deadline - this.#parts.clock.monotonic()
    const wallMs = Math.round(Math.min(left, options.timeoutMs ?? left))
    const late = () =>
      fail(
        'build_timeout',
        `${name} exceeded the time limit of ${minutes(options.timeoutMs ?? limits.wallMs)}`,
      )
    if (wallMs <= 0) throw late()

    if (shown !== null) await commandLog.command(options.log, shown)
    this.#ran = true
    const overfull = new AbortController()
    let full: string | undefined
    const watch = this.#disk.watch((why) => {
      full = why
      overfull.abort()
    })
    const begin = () =>
      this.#spawn(options, wallMs, AbortSignal.any([signal, this.#ended.signal, overfull.signal]))
    let exit: SandboxExit
    try {
      exit = await persistently(begin)
    } catch (error) {
      const missing = isNotStarted(error) && unstartable(error.message)
      throw missing ? fail('command_failed', `${name} could not be started: ${missing}`) : error
    } finally {
      watch.stop()
    }
    const { code, reason } = exit
    if (reason !== 'exited') this.#broken = full === undefined ? 'ended' : 'overfull'
    if (full !== undefined && reason === 'aborted') throw fail('disk_limit', full)
    if (reason === 'aborted') throw canceled()
    if (reason === 'timeout') throw late()
    if (reason === 'memory')
      throw fail(
        'out_of_memory',
        `${name} exceeded the memory limit of ${showLimit(options.memoryBytes ?? limits.memoryBytes)}`,
      )
    if (code === null) throw fail('command_failed', `${name} was killed`)
    if (code !== 0 && !options.allowFailure) throw fail('command_failed', `${name} exited with ${code}`)
    return { code, reason }
  }

  async #spawn(options: RunOptions, wallMs: number, signal: AbortSignal): Promise<SandboxExit> {
    const { sandbox, commandLog, folder, limits, caFile } = this.#parts
    const { argv, node, tools = [], network = 'outbound', extraBinds = [], memoryBytes } = options
    const relative = relativeFolder(options.cwd ?? '')
    if (relative !== '' && !isPlainPath(relative))
      throw new BuildFailure(
        'command_failed',
        `${JSON.stringify(options.cwd)} is not a folder of the deployment`,
        options.run,
      )
    const cwd = posix.join(INSIDE.source, relative)
    const binds: readonly SandboxBind[] = [
      { host: join(folder, 'root'), inside: INSIDE.root, writable: true },
      { host: node.folder, inside: '/opt/node', writable: false },
      ...tools.map((tool) => ({ host: tool.folder, inside: `/opt/${tool.name}`, writable: false })),
      ...(caFile === undefined ? [] : [{ host: caFile, inside: CA_INSIDE, writable: false }]),
      ...extraBinds,
    ]
    const env = defined({ ...this.env, ...options.env, PATH: pathInside(cwd, node, tools) })
    const started = sandbox.spawn({
      argv,
      cwd,
      env: sandbox.kind === 'none' ? onMachine(env, binds) : env,
      binds,
      limits: {
        memoryBytes: memoryBytes ?? limits.memoryBytes,
        cpus: limits.cpus,
        processes: limits.processes,
        tmpBytes: limits.tmpBytes,
        // The folder is looked at twice a second, which is long enough to fill a disk with one file.
        fileBytes: limits.diskBytes,
        wallMs,
      },
      network,
      signal,
    })
    const log = options.quiet ? undefined : options.log
    try {
      const [exit] = await Promise.all([
        started.exit,
        commandLog.follow(log, started.stdout),
        commandLog.follow(log, started.stderr),
      ])
      return exit
    } catch (error) {
      started.kill()
      await started.exit.catch(() => {})
      throw error
    }
  }
}

const defined = (env: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined))

/** Without a sandbox, paths are those of the machine. */
function onMachine(
  env: Readonly<Record<string, string>>,
  binds: readonly SandboxBind[],
): Readonly<Record<string, string>> {
  const place = (path: string) => {
    const bind = binds.find(({ inside }) => path === inside || path.startsWith(`${inside}/`))
    return bind ? bind.host + path.slice(bind.inside.length) : path
  }
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => [
      name,
      name === 'PATH' ? value.split(':').map(place).join(':') : place(value),
    ]),
  )
}

const isNotStarted = (error: unknown): error is SandboxError =>
  error instanceof SandboxError && error.kind === 'not_started'

const STARTS = 3
const PAUSE_MS = 250

/** Where a sandbox could not be started nothing has run yet, and the reason may have been a matter of the moment. */
async function persistently<T>(begin: () => Promise<T>): Promise<T> {
  for (let start = 1; ; start++) {
    try {
      return await begin()
    } catch (error) {
      if (start === STARTS || !isNotStarted(error) || unstartable(error.message)) throw error
    }
    await sleep(start * PAUSE_MS)
  }
}

/** What a user can do something about. */
function unstartable(complaint: string): string | undefined {
  if (/chdir/i.test(complaint)) return 'its folder does not exist'
  if (/execvp.*(?:No such file|Permission denied)/i.test(complaint)) return 'there is no such program'
  return undefined
}

const minutes = (ms: number) =>
  ms >= MINUTE ? `${Math.round(ms / MINUTE)} minutes` : `${Math.round(ms / 1000)} seconds`
