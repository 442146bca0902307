import { execFileSync } from 'node:child_process'
import type { Agent } from 'node:http'
import { join } from 'node:path'
import { install, TOKEN } from '#test/support/installation.ts'
import { oneConnection, type Reply, send } from '../load/send.ts'
import { toLoadCore, toServerCore } from '../measure/cores.ts'
import { isTrial } from '../measure/trial.ts'

export interface Call {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Buffer | string
  /** Another connection than the one that calls share. */
  readonly agent?: Agent
}

export interface Platform {
  readonly url: string
  readonly tlsPort: number
  /** Where its data is. */
  readonly dataDir: string
  /** Of the supervisor, whose tree is everything. */
  readonly pid: number | undefined
  /** Who calls: the operator. */
  readonly headers: Readonly<Record<string, string>>
  /** Pids of the processes of a role. */
  children(role: 'serve' | 'work'): Promise<number[]>
  /** Rejects unless it is answered with a 2xx. */
  call(path: string, call?: Call): Promise<Reply>
  stop(): Promise<void>
}

let isShared = false
let shared: Promise<Platform> | undefined

/** From now on one platform serves all benchmarks, whatever settings they ask for. Answers what ends it. */
export function sharePlatform(): () => Promise<void> {
  isShared = true
  return async () => (await shared)?.stop()
}

/** The real program with one serving process, no limit in reach, and SQLite. */
export async function startPlatform(
  env: Record<string, string> = {},
  /** Whether what serves has a core of its own, and this process the other. */
  { pinned = true } = {},
): Promise<Platform> {
  if (!isShared) return start(env, pinned)
  shared ??= start({}, true)
  return { ...(await shared), stop: async () => {} }
}

/** Calls of the operator, by one connection unless said. */
export const callerOf =
  (base: string, shared: Agent): Platform['call'] =>
  async (path, { headers: more = {}, agent = shared, ...rest } = {}) => {
    const reply = await send({ url: `${base}${path}`, headers: { ...HEADERS, ...more }, agent, ...rest })
    if (reply.status >= 300)
      throw new Error(`${rest.method ?? 'GET'} ${path}: ${reply.status} ${reply.body.slice(0, 500)}`)
    return reply
  }

const HEADERS = { authorization: `Bearer ${TOKEN}` }

const BUILD = join(import.meta.dirname, '../../scripts/build-server.ts')

/** As `npm start` does it. A trial takes what is there. */
export function buildServer(): void {
  if (!isTrial) execFileSync(process.execPath, [BUILD], { stdio: 'ignore' })
}

async function start(env: Record<string, string>, pinned: boolean): Promise<Platform> {
  buildServer()
  const installed = await install({
    env: { ALOFT_WORKERS: '1', ALOFT_RATE_LIMIT: '100000000', ALOFT_LOG_LEVEL: 'warn', ...env },
  })
  if (pinned) {
    for (const pid of await installed.children('serve')) toServerCore(pid)
    toLoadCore(process.pid)
  }
  const shared = oneConnection()
  return {
    url: installed.url,
    tlsPort: installed.tlsPort,
    dataDir: join(installed.folder, 'data'),
    pid: installed.process.pid,
    children: (role) => installed.children(role),
    headers: HEADERS,
    call: callerOf(installed.url, shared),
    async stop() {
      shared.destroy()
      await installed.remove()
    },
  }
}
