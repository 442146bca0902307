import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'
import { createOutputLines } from '#builder/environment/command/output-lines.ts'
import { createRedactor } from '#builder/environment/command/redact.ts'
import { DEV_MARK } from '#contract/dev.ts'
import { MINUTE } from '#contract/time.ts'
import type { Lease } from '#core/ports/runner.ts'
import type { DevCommand } from './dev-command.ts'
import { answers } from './listen.ts'

interface DevServerOptions {
  readonly command: DevCommand
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
  /** The path of the socket at which it answers like an instance of a program. */
  readonly socket: string
  readonly onLine: (line: string) => void
  readonly onGroup: (pid: number) => void
  /** It ended by itself. */
  readonly onEnd: (how: string) => void
}

/** A project's own development server, as a program that takes requests. */
export interface DevServer {
  readonly shown: string
  /** Resolves once it takes connections; rejects where it does not. */
  readonly ready: Promise<void>
  lease(): Promise<Lease>
  stop(): Promise<void>
}

interface Address {
  readonly host: string
  readonly port: number
}

const LOOPBACKS = ['127.0.0.1', '::1'] as const
const START_MS = 3 * MINUTE
const LOOK_MS = 100
/** A server that tells of another port than it was given has this long to listen on the one it was given. */
const OWN_WAY_MS = 1500
const GRACE_MS = 2000
const ADDRESS = /https?:\/\/(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\]):(\d{2,5})\b/

export async function startDevServer(options: DevServerOptions): Promise<DevServer> {
  const { command, folder, env, onLine, onGroup, onEnd } = options
  const port = await freePort()
  const [program = '', ...args] = command.argv(port)
  // In a group of its own, with which it ends. It runs as if the person had typed it.
  const child = spawn(program, args, {
    cwd: folder,
    env: {
      ...process.env,
      ...{ BROWSER: 'none', ...env, PORT: String(port), [DEV_MARK]: '1' },
      PATH: `${join(folder, 'node_modules/.bin')}:${process.env.PATH ?? ''}`,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let ended: string | undefined
  let stopping = false
  let told: { readonly port: number; readonly at: number } | undefined
  const exited = new Promise<void>((resolve) => {
    const end = (how: string) => {
      if (ended !== undefined) return
      ended = how
      if (!stopping) onEnd(how)
      resolve()
    }
    child.once('error', (error) => end(`could not be started: ${error.message}`))
    child.once('exit', (code, signal) =>
      end(signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`),
    )
  })
  if (child.pid !== undefined) onGroup(child.pid)
  for (const stream of [child.stdout, child.stderr])
    eachLine(stream, (line) => {
      const named = ADDRESS.exec(stripVTControlCharacters(line))?.[1]
      if (named !== undefined) told ??= { port: Number(named), at: performance.now() }
      onLine(line)
    })

  const { server, open } = await openRelay(options.socket, () => address)
  let address: Address | undefined
  const find = async (): Promise<void> => {
    for (
      const deadline = performance.now() + START_MS;
      performance.now() < deadline && ended === undefined;
      await pause(LOOK_MS)
    ) {
      const ports = told && performance.now() - told.at >= OWN_WAY_MS ? [port, told.port] : [port]
      for (const candidate of ports)
        for (const host of LOOPBACKS)
          if (await answers(host, candidate)) {
            address = { host, port: candidate }
            return
          }
    }
    throw new Error(ended === undefined ? 'does not accept connections' : ended)
  }
  const ready = find()
  ready.catch(() => {})
  return {
    shown: command.shown,
    ready,
    async lease() {
      await ready
      return { instanceId: 'dev-server', socket: options.socket, release: () => {} }
    },
    async stop() {
      stopping = true
      server.close()
      for (const socket of open) socket.destroy()
      await endGroup(child, exited)
    },
  }
}

function eachLine(stream: Readable, take: (line: string) => void): void {
  const lines = createOutputLines(createRedactor([]))
  stream.on('data', (chunk: Buffer) => lines.take(chunk).forEach(take))
  stream.on('end', () => lines.end().forEach(take))
}

/** Passes on connections of a unix socket, which is how the edge speaks to programs. */
async function openRelay(
  path: string,
  target: () => Address | undefined,
): Promise<{ server: Server; open: Set<Socket> }> {
  const open = new Set<Socket>()
  const server = createServer((near) => {
    const to = target()
    if (to === undefined) {
      near.destroy()
      return
    }
    const far = connect(to)
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(socket)
      socket.on('error', () => other.destroy())
      socket.on('close', () => {
        open.delete(socket)
        other.destroy()
      })
    }
    near.pipe(far).pipe(near)
  })
  server.listen(path)
  await once(server, 'listening')
  return { server, open }
}

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { readonly port: number }
  server.close()
  await once(server, 'close')
  return port
}

async function endGroup(child: ChildProcess, exited: Promise<void>): Promise<void> {
  const { pid } = child
  if (pid === undefined) return
  signalGroup(pid, 'SIGTERM')
  await Promise.race([exited, pause(GRACE_MS, undefined, { ref: false })])
  // Whoever started it may be gone before those that it started.
  signalGroup(pid, 'SIGKILL')
  await exited
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal)
  } catch {
    // Nobody of it is left.
  }
}
