import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import type { OwnSites } from '#core/outbound/own-sites.ts'
import { trusting } from '#core/outbound/trusting.ts'
import type { Runtime } from '#core/output/output.ts'
import type { Log } from '#core/ports/log.ts'
import { RunnerError } from '#core/ports/runner.ts'
import {
  type Sandbox,
  type SandboxBind,
  SandboxError,
  type SandboxExit,
  type SandboxedProcess,
} from '#core/ports/sandbox.ts'
import { makeOwnFolder } from '../../fs/own-folder.ts'
import { type JsonLines, speakJsonLines } from '../json-lines.ts'
import { CACHE_BYTES } from './compile-cache.ts'
import { ownName, type Places } from './places.ts'
import { findPython } from './python.ts'

export type EnsureNode = (version: string) => Promise<{ readonly folder: string; readonly node: string }>
/** The folder of a line of Bun, with `bin/bun` in it. */
export type EnsureBun = (line: string) => Promise<{ readonly folder: string }>

/** What must be known of a program before its runtime is started. */
export interface RuntimeKind {
  readonly runtime: Runtime
  readonly version: string
  readonly memoryMb: number
  /** It is run as a command, to which the launcher only passes bytes. */
  readonly isCommand?: boolean
}

export interface LaunchLimits {
  readonly cpus: number
  readonly processes: number
  readonly tmpBytes: number
  /** Until the runtime waits for code. */
  readonly bootMs: number
}

export interface LaunchParts {
  readonly sandbox: Sandbox
  readonly places: Places
  readonly ensureNode: EnsureNode
  readonly ensureBun: EnsureBun
  /** The folder of launchers on this machine. */
  readonly launcher: string
  /** A file of certificates: all the authorities that programs trust. Those of the machine where it is left out. */
  readonly authorities?: string
  /** Where programs that share the network of this machine find the sites of this installation. */
  readonly sites?: OwnSites
  readonly log: Log
  readonly limits: LaunchLimits
  /** Ends what has not booted yet. */
  readonly signal: AbortSignal
}

export type ControlMessage = Readonly<Record<string, unknown>>

/** A runtime that has booted and waits for code. Nothing of a user's has run in it. */
export interface Launched {
  readonly process: SandboxedProcess
  readonly control: JsonLines
  /** Where it answers requests; out of reach for what runs inside. */
  readonly socket: string
  /** The empty folder of this machine that the code belongs in, where it was not given at the start. */
  readonly task: string | undefined
  /** Where the code is, as the launcher sees it; undefined where it sees the machine as it is. */
  readonly root: string | undefined
  /** How a file is run, where the launcher does not load it itself. */
  readonly commandOf?: (entry: string) => readonly string[]
  /** The folder for compiled code, here and as the launcher sees it. */
  readonly cache: { readonly host: string; readonly inside: string } | undefined
  /** Set once it belongs to a program. */
  listener: ControlListener | undefined
  /** Resolves when nothing is left of it, its folders included; never rejects. */
  readonly exit: Promise<SandboxExit | undefined>
  /** What it writes, from now on for the caller to read. */
  output(): { readonly stdout: Readable; readonly stderr: Readable }
  /** As a `SandboxedProcess` tells it; absent where nobody ever can. */
  readonly processorMs?: () => Promise<number | undefined>
  stop(graceMs: number): void
  kill(): void
}

/** The part of it by which an instance is led; what runs elsewhere, such as in a container, has only this. */
export type LaunchedRuntime = Omit<Launched, 'process' | 'control'> & {
  readonly control: Pick<JsonLines, 'send'>
  /** Where it may be on another node: whether that was lost or left a moment ago, and requests with it. */
  readonly wasLost?: () => Promise<boolean>
}

interface ControlListener {
  message(message: ControlMessage): void
  /** The line is closed, as it is when the launcher ends. */
  closed(): void
}

const MAX_MESSAGE = 256 * 1024
const COMPLAINT = 4096
const TASK = '/var/task'
const AUTHORITIES = '/aloft/authorities.pem'
const CA_BUNDLE = '/etc/ssl/certs/ca-certificates.crt'
/** Of a program's memory, what its objects may take; the rest is for code, buffers and /tmp. */
const HEAP = 0.85
/** The first version whose compiled code can be kept. */
const CACHING = 22
const AFTER_GRACE_MS = 1000
/** Of the launcher where it only passes bytes to a program of another runtime. */
const LAUNCHER_NODE = '24.x'
const LAUNCHER_MB = 64

const MB = 2 ** 20
let launches = 0

const cachesCode = ({ runtime, version }: RuntimeKind): boolean =>
  runtime === 'node' && Number.parseInt(version, 10) >= CACHING

interface Start {
  readonly argv: readonly string[]
  readonly path: string
  readonly binds: readonly SandboxBind[]
  readonly commandOf?: (entry: string) => readonly string[]
}

/** How a runtime is started: the program, where others are found, and what it needs of the machine. */
async function startOf(kind: RuntimeKind, parts: LaunchParts): Promise<Start> {
  const { sandbox, launcher, ensureNode } = parts
  const bare = sandbox.kind === 'none'
  const inLauncher = (path: string) => `${bare ? launcher : '/aloft/launcher'}/${path}`
  const usual = '/usr/local/bin:/usr/bin:/bin'
  if (kind.runtime === 'python') {
    const { python, binds } = await findPython()
    return { argv: [python, inLauncher('python/main.py')], path: usual, binds }
  }
  const onNode = async (version: string, memoryMb: number): Promise<Start> => {
    const { folder, node } = await ensureNode(version)
    const heap = `--max-old-space-size=${Math.max(32, Math.floor(memoryMb * HEAP))}`
    return {
      argv: [node, heap, inLauncher('node/main.cjs')],
      path: `${bare ? join(folder, 'bin') : '/opt/node/bin'}:${usual}`,
      binds: [{ host: folder, inside: '/opt/node', writable: false }],
    }
  }
  if (kind.runtime === 'node') return onNode(kind.version, kind.memoryMb)
  if (kind.runtime !== 'bun')
    throw new RunnerError('unavailable', `Programs of ${kind.runtime} cannot be run here`)
  // The launcher needs Node; Bun is the program of its command.
  const { folder } = await parts.ensureBun(kind.version)
  const { argv, path, binds } = await onNode(LAUNCHER_NODE, LAUNCHER_MB)
  const programs = bare ? join(folder, 'bin') : '/opt/bun/bin'
  return {
    argv,
    path: `${programs}:${path}`,
    binds: [...binds, { host: folder, inside: '/opt/bun', writable: false }],
    commandOf: (entry) => [join(programs, 'bun'), inLauncher('bun/main.mjs'), entry],
  }
}

/** Node would complain in the program's log of a file that is not there. */
function certificates({ authorities, sandbox }: LaunchParts): Record<string, string> {
  if (authorities !== undefined) return trusting(sandbox.kind === 'none' ? authorities : AUTHORITIES)
  return existsSync(CA_BUNDLE) ? { NODE_EXTRA_CA_CERTS: CA_BUNDLE } : {}
}

/** Connects as soon as somebody listens; nothing tells of that. */
async function connectTo(path: string, signal: AbortSignal): Promise<Socket> {
  for (let wait = 2; ; wait = Math.min(wait * 1.2, 20)) {
    signal.throwIfAborted()
    const socket = await new Promise<Socket | undefined>((resolve) => {
      const candidate = connect(path)
      candidate.once('connect', () => resolve(candidate))
      candidate.once('error', () => resolve(undefined))
    })
    if (socket) return socket
    await pause(wait)
  }
}

type SandboxedRun = Parameters<Sandbox['spawn']>[0]

/** Folders of this machine that an instance sees: where its sockets are made, its code, and its compiled code. */
interface InstanceFolders {
  readonly shared: string
  readonly task: string
  readonly cache: { readonly host: string; readonly inside: string } | undefined
  /** Whether there is a program for it, which requests may wait for. */
  readonly isAwaited: boolean
}

/** See the launcher's README. To warm it takes longer than what it spares the first request. */
function purposeOf({ isCommand, runtime }: RuntimeKind, isAwaited: boolean): string {
  if (isCommand || runtime === 'bun') return 'command'
  return isAwaited ? 'now' : '1'
}

/** All that the sandbox of an instance is given. */
function runOf(
  kind: RuntimeKind,
  parts: LaunchParts,
  start: Start,
  { shared, task, cache, isAwaited }: InstanceFolders,
): SandboxedRun {
  const { sandbox, places, limits, authorities } = parts
  const hostNetwork = {
    ALOFT_RUN_DIR: shared,
    ALOFT_HOST_NETWORK: JSON.stringify({ sites: parts.sites, folder: places.folder }),
  }
  return {
    argv: start.argv,
    cwd: '/tmp',
    env: {
      ...{ PATH: start.path, HOME: '/tmp', TMPDIR: '/tmp', LANG: 'C.UTF-8', TZ: 'UTC' },
      ...certificates(parts),
      ALOFT_LAUNCH: purposeOf(kind, isAwaited),
      ...(sandbox.kind === 'none' ? hostNetwork : {}),
    },
    binds: [
      ...start.binds,
      { host: parts.launcher, inside: '/aloft/launcher', writable: false },
      ...(authorities === undefined ? [] : [{ host: authorities, inside: AUTHORITIES, writable: false }]),
      { host: shared, inside: '/aloft/run', writable: true },
      { host: task, inside: TASK, writable: false },
      ...(cache ? [{ ...cache, writable: true, maxBytes: CACHE_BYTES }] : []),
    ],
    limits: {
      ...{ cpus: limits.cpus, processes: limits.processes, tmpBytes: limits.tmpBytes },
      memoryBytes: kind.memoryMb * MB,
      // Visitors wait for it.
      share: 1,
      wallMs: Number.POSITIVE_INFINITY,
    },
    network: 'outbound',
  }
}

function spawn(parts: LaunchParts, run: SandboxedRun): SandboxedProcess {
  try {
    return parts.sandbox.spawn(run)
  } catch (error) {
    if (!(error instanceof SandboxError && error.kind === 'no_outbound')) throw error
    parts.log.debug({ err: error }, 'a program runs without a network')
    return parts.sandbox.spawn({ ...run, network: 'none' })
  }
}

/**
 * Starts a runtime in a sandbox of its own and waits until it has booted.
 *
 * The launcher makes its sockets in a folder that it shares with this machine. Before any code of a user runs they
 * are moved out of it and the folder is removed, so that nothing inside can put something else in their place, such
 * as a link to another socket of this machine, nor fill the disk.
 */
export async function launch(kind: RuntimeKind, parts: LaunchParts, code?: string): Promise<Launched> {
  const { sandbox, places, limits } = parts
  const bare = sandbox.kind === 'none'
  parts.signal.throwIfAborted()
  const start = await startOf(kind, parts)
  const name = ownName(launches++)
  const own = join(places.run, name)
  const shared = join(own, 'r')
  const content = join(places.instances, name)
  const task = bare || code !== undefined ? undefined : join(content, 'task')
  const caches = cachesCode(kind) && sandbox.boundsFolders
  const cache = caches ? { host: join(content, 'cache'), inside: '/aloft/cache' } : undefined
  const removeFolders = async () => {
    for (const folder of [own, content])
      await rm(folder, { recursive: true, force: true }).catch((err) =>
        parts.log.warn({ err }, 'the folder of an instance could not be removed'),
      )
  }
  // A working process that was here before and took its time to stop may have taken it away.
  await makeOwnFolder(places.run)
  const given = { shared, task: code ?? task ?? content, cache, isAwaited: code !== undefined }
  const begin = async () => {
    for (const folder of [shared, task ?? content, ...(cache ? [cache.host] : [])])
      await mkdir(folder, { recursive: true, mode: 0o755 })
    return spawn(parts, runOf(kind, parts, start, given))
  }
  const process = await begin().catch(async (error: unknown) => {
    await removeFolders()
    throw error
  })
  let complaint = ''
  const listen = (chunk: Buffer) => {
    complaint = (complaint + chunk.toString('latin1')).slice(-COMPLAINT)
  }
  process.stderr.on('data', listen)
  const stopped = new AbortController()
  const exit = process.exit
    .catch((error: Error) => {
      complaint ||= error.message
      return undefined
    })
    .then(async (how) => {
      stopped.abort(
        new RunnerError('unavailable', `The runtime did not start: ${complaint.trim() || how?.reason}`),
      )
      await removeFolders()
      return how
    })
  const halt = () => stopped.abort(parts.signal.reason)
  parts.signal.addEventListener('abort', halt)
  if (parts.signal.aborted) halt()
  const timer = setTimeout(
    () => stopped.abort(new RunnerError('unavailable', 'The runtime did not start in time')),
    limits.bootMs,
  )
  try {
    const socket = await connectTo(join(shared, 'control.sock'), stopped.signal)
    let launched: Launched | undefined
    const booted = Promise.withResolvers<void>()
    const control = speakJsonLines(socket, {
      maxBytes: MAX_MESSAGE,
      slowly: true,
      onMessage(message) {
        if (message.type === 'booted') booted.resolve()
        else launched?.listener?.message(message)
      },
      onClose: () => launched?.listener?.closed(),
    })
    stopped.signal.addEventListener('abort', () => booted.reject(stopped.signal.reason))
    await booted.promise
    await rename(join(shared, 'http.sock'), join(own, 'h'))
    await rm(shared, { recursive: true })
    launched = {
      ...{ process, control, task, cache, exit },
      socket: join(own, 'h'),
      root: bare ? undefined : TASK,
      ...(start.commandOf && { commandOf: start.commandOf }),
      listener: undefined,
      output() {
        process.stderr.off('data', listen)
        return { stdout: process.stdout, stderr: process.stderr }
      },
      stop(graceMs) {
        control.send({ type: 'stop', graceMs })
        setTimeout(() => process.kill(), graceMs + AFTER_GRACE_MS).unref()
      },
      processorMs: async () => process.processorMs?.(),
      kill: () => process.kill(),
    }
    return launched
  } catch (error) {
    process.kill()
    await exit
    throw error
  } finally {
    clearTimeout(timer)
    parts.signal.removeEventListener('abort', halt)
  }
}
