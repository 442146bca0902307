import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, copyFile, mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { freePort } from './free-port.ts'
import { compileCacheOf } from './program/compile-cache.ts'
import { dropSeveral, isSeveral, openSeveral } from './several.ts'

const root = resolve(import.meta.dirname, '../..')

export interface Installation {
  readonly url: string
  readonly port: number
  readonly tlsPort: number
  readonly folder: string
  readonly token: string
  /** Where `npm run test:postgres` has made it one. */
  readonly databaseUrl: string | undefined
  readonly process: ChildProcess
  /** Everything printed so far. */
  readonly stdout: () => string
  readonly stderr: () => string
  /** Pids of the processes that the supervisor keeps, by role. */
  children(role: 'serve' | 'work'): Promise<number[]>
  /** Ends it with this signal and waits; answers the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
  /** Kills all of its processes at once, and waits until nothing of theirs is open. */
  kill(): Promise<void>
  /** Stops and uninstalls it. */
  remove(): Promise<void>
  /** The same installation again, after it was stopped; otherwise than before where that is said. */
  restart(changes?: InstallationOptions): Promise<Installation>
}

export interface InstallationOptions {
  readonly env?: Record<string, string>
  readonly args?: readonly string[]
  /** Through `npm start`, as people do. */
  readonly byNpm?: boolean
  /** Another way to start it than from the sources: a program, and what it is told. */
  readonly program?: readonly [string, ...string[]]
  /** Descriptors that are passed on to listen on, as a service manager does. */
  readonly sockets?: readonly number[]
  /** By another user of the machine, through what makes the program somebody else's. */
  readonly as?: { readonly uid: number; readonly before: readonly [string, ...string[]] }
  /** Without it there is no bootstrap account. */
  readonly operator?: boolean
  /** Chosen by the test where somebody else has to know them first. */
  readonly ports?: { readonly port: number; readonly tlsPort: number }
}

/** Settings for tests that neither build nor run code: a third of a start is to get the sandbox ready. */
export const NOTHING_RUNS = { ALOFT_SANDBOX: 'off' }

/** Settings for what is about several serving processes. */
export const TWO_SERVING = { ALOFT_WORKERS: '2' }

export const TOKEN = 'e2e-operator-token-000'

/** A folder of its own and free ports, for a program that is yet to be started. */
export interface Place {
  readonly folder: string
  /** Otherwise than was said before where that is said. */
  start(changes?: InstallationOptions): Promise<Installation>
}

/** Databases of installations that named none, by their folder. */
const databases = new Map<string, string>()

/** The real program, in a folder of its own, on free ports; with `npm run test:postgres` on a database of its own there. */
export const install = async (options: InstallationOptions = {}): Promise<Installation> =>
  (await makePlace(options)).start()

export async function makePlace(options: InstallationOptions = {}): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-e2e-'))
  const { port, tlsPort } = options.ports ?? { port: await freePort(), tlsPort: await freePort() }
  // What is fetched once from the package registry serves all installations of all tests.
  const { uid = process.getuid?.() ?? 0 } = options.as ?? {}
  const tools = join(tmpdir(), uid === 0 ? 'aloft-test-toolchains' : `aloft-test-toolchains-${uid}`)
  await mkdir(tools, { recursive: true, mode: 0o700 })
  await mkdir(join(folder, 'data'), { mode: 0o700 })
  await symlink(tools, join(folder, 'data', 'toolchains'))
  // To make the schema takes a tenth of a start. Those that are to start from nothing do.
  const { ALOFT_TEST_TEMPLATE: template } = process.env
  const fromNothing = options.as !== undefined || options.byNpm === true || options.operator === false
  if (isSeveral && options.env?.ALOFT_DATABASE_URL === undefined)
    databases.set(folder, await openSeveral({ migrated: !fromNothing }))
  else if (template && !fromNothing)
    for (const name of await readdir(template))
      await copyFile(join(template, name), join(folder, 'data', name))
  if (options.as) for (const each of [folder, join(folder, 'data'), tools]) await chown(each, uid, uid)
  return { folder, start: (changes) => boot(folder, port, tlsPort, { ...options, ...changes }) }
}

export async function uninstall({ folder }: Pick<Installation, 'folder'>): Promise<void> {
  const database = databases.get(folder)
  databases.delete(folder)
  for (const kill of running.get(folder) ?? []) await kill()
  if (database !== undefined) await dropSeveral(database)
  // Processes whose supervisor was killed write until they notice.
  await rm(folder, { recursive: true, force: true, maxRetries: 10 })
}

/** What ends the installations that run, by their folders: one that is left running would write there while it is removed. */
const running = new Map<string, Set<() => Promise<void>>>()

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/**
 * Of a process that has ended and was not asked about, nothing is left but its number. One of its threads may still wait for
 * the disk, and hold its sockets for as long.
 */
async function isThere(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const threads = await readdir(`/proc/${pid}/task`).catch(() => [])
  return status !== '' && (threads.length > 1 || !/^State:\t[ZX]/m.test(status))
}

async function boot(
  folder: string,
  port: number,
  tlsPort: number,
  options: InstallationOptions,
): Promise<Installation> {
  const { PATH, HOME, NODE_EXTRA_CA_CERTS } = process.env
  const database = databases.get(folder)
  const source = [process.execPath, join(root, 'src/main.ts')] as const
  const [command = '', ...args] = [
    ...(options.as?.before ?? []),
    ...(options.byNpm ? ['npm', 'start'] : [...(options.program ?? source), ...(options.args ?? [])]),
  ]
  const child = spawn(command, args, {
    cwd: options.byNpm ? root : folder,
    env: {
      PATH,
      HOME: options.as ? folder : HOME,
      // Where the package registry is behind an authority of the machine's own.
      ...(NODE_EXTRA_CA_CERTS ? { NODE_EXTRA_CA_CERTS } : {}),
      // As npm start has it: with it the first file is not stripped of its types either.
      NODE_COMPILE_CACHE: compileCacheOf(options.as?.uid ?? process.getuid?.() ?? 0),
      ALOFT_DATA_DIR: join(folder, 'data'),
      ALOFT_PORT: String(port),
      ALOFT_TLS_PORT: String(tlsPort),
      ALOFT_DNS_PORT: '0',
      // Each costs a second of processor time to start; what is about several of them asks for several.
      ALOFT_WORKERS: '1',
      ...(isSeveral && (database ?? options.env?.ALOFT_DATABASE_URL) !== undefined ? TWO_SERVING : {}),
      ...(database === undefined ? {} : { ALOFT_DATABASE_URL: database }),
      // A browser for every deployment is more than tests want to wait for.
      ALOFT_CHROMIUM: 'off',
      ...(options.sockets
        ? { LISTEN_FDS: String(options.sockets.length), LISTEN_PID: String(process.pid) }
        : {}),
      ...(options.operator === false
        ? {}
        : { ALOFT_BOOTSTRAP_EMAIL: 'operator@aloft.test', ALOFT_BOOTSTRAP_TOKEN: TOKEN }),
      ...options.env,
    },
    stdio: ['ignore', 'pipe', 'pipe', ...(options.sockets ?? [])] as unknown as ['ignore', 'pipe', 'pipe'],
  })
  const printed = { stdout: '', stderr: '' }
  const ready = Promise.withResolvers<void>()
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed.stdout += text
    if (/^aloft ready /m.test(printed.stdout)) ready.resolve()
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    printed.stderr += text
  })
  const exited = once(child, 'exit') as Promise<[number | null]>
  exited.then(() => ready.reject(new Error(`it ended before it was ready:\n${printed.stderr}`)))

  const children = async (role: 'serve' | 'work'): Promise<number[]> => {
    const { stdout } = spawn('pgrep', ['-P', String(child.pid), '-f', '--', `--child ${role}`])
    return (await stdout.setEncoding('utf8').toArray()).join('').split('\n').filter(Boolean).map(Number)
  }
  const kill = async () => {
    // In the meantime it would start others in the place of those that ended.
    child.kill('SIGSTOP')
    const pids = [...(await children('serve')), ...(await children('work'))]
    child.kill('SIGKILL')
    for (const pid of pids) killIfThere(pid)
    await exited
    for (const pid of pids) while (await isThere(pid)) await new Promise((next) => setTimeout(next, 10))
  }
  const others = running.get(folder) ?? new Set()
  running.set(folder, others.add(kill))
  exited.then(() => others.delete(kill))

  await ready.promise
  exited.catch(() => {})

  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal)
    const [code] = await exited
    return code
  }
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    tlsPort,
    folder,
    token: TOKEN,
    databaseUrl: database,
    process: child,
    stdout: () => printed.stdout,
    stderr: () => printed.stderr,
    children,
    stop,
    kill,
    async remove() {
      await stop()
      await uninstall({ folder })
    },
    restart: (changes) => boot(folder, port, tlsPort, { ...options, ...changes }),
  }
}
