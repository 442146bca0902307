import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, statfsSync } from 'node:fs'
import { chmod, chown, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'

export interface Postgres {
  /** Where its socket lies. */
  readonly folder: string
  stop(): Promise<void>
}

const run = promisify(execFile)

/**
 * Stops the server and removes its folder when its own input ends, which happens even when the process
 * that started it is killed.
 */
const LEASH = '"$@" & exec 2>&-; cat >/dev/null; kill -QUIT $!; wait $!; rm -rf "$0"'

const SETTINGS = [
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'autovacuum=off',
  'listen_addresses=',
  'shared_buffers=64MB',
  // Files that run at the same time share a server.
  'max_connections=400',
]

/** Debian keeps the server's programs out of the path, by version. `ALOFT_TEST_POSTGRES_PROGRAMS` names the folder of another. */
function program(name: string): string {
  const { ALOFT_TEST_POSTGRES_PROGRAMS: folder } = process.env
  if (folder) return join(folder, name)
  const [newest] = globSync(`/usr/lib/postgresql/*/bin/${name}`).sort((a, b) =>
    b.localeCompare(a, 'en', { numeric: true }),
  )
  return newest ?? name
}

/** The server refuses to run as root. */
async function serverUser(): Promise<{ readonly uid: number; readonly gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const [uid, gid] = await Promise.all(['-u', '-g'].map((flag) => run('id', [flag, 'postgres'])))
  return { uid: Number(uid?.stdout), gid: Number(gid?.stdout) }
}

/** Far more than the databases of all files that run at the same time. */
const ROOM_BYTES = 2 ** 31

/**
 * In memory, where there is room. Each database is a copy with a thousand files that are soon deleted again, and on a disk the
 * kernel was busy for a fifth of the whole test run with finding places for them.
 */
function quickFolder(): string {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm')
    return bavail * bsize >= ROOM_BYTES ? '/dev/shm' : tmpdir()
  } catch {
    return tmpdir()
  }
}

/** A PostgreSQL, reached by a socket in its own folder. */
export const startPostgres = (parent = quickFolder()): Promise<Postgres> =>
  start(parent, (data) => [
    program('initdb'),
    ...['-D', data, '-U', 'postgres', '--auth=trust', '--no-sync', '--encoding=UTF8', '--locale=C'],
  ])

/** One that follows another and takes no writes, until it is promoted. */
export const startStandby = ({ folder }: Postgres): Promise<Postgres> =>
  start(quickFolder(), (data) => [
    program('pg_basebackup'),
    ...[
      '-D',
      data,
      '-h',
      folder,
      '-U',
      'postgres',
      '--write-recovery-conf',
      '--checkpoint=fast',
      '--no-sync',
    ],
  ])

async function start(parent: string, fill: (data: string) => readonly string[]): Promise<Postgres> {
  const user = await serverUser()
  const folder = await mkdtemp(join(parent, 'aloft-pg-'))
  if (user) await chown(folder, user.uid, user.gid)
  // Its socket is for other users, too; its data stays its own.
  await chmod(folder, 0o711)
  const data = join(folder, 'data')
  const options = { cwd: folder, ...user }
  const [command = '', ...args] = fill(data)
  await run(command, args, options)
  const settings = [...SETTINGS, `unix_socket_directories=${folder}`].flatMap((setting) => ['-c', setting])
  const server = spawn('sh', ['-c', LEASH, folder, program('postgres'), '-D', data, ...settings], {
    ...options,
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  const stop = async () => {
    server.stdin.end()
    if (server.exitCode === null) await once(server, 'exit')
  }
  try {
    await ready(server.stderr)
  } catch (error) {
    await stop()
    throw error
  }
  return { folder, stop }
}

async function ready(log: NodeJS.ReadableStream): Promise<void> {
  const said: string[] = []
  const lines = createInterface(log)
  for await (const line of lines) {
    if (/ready to accept (?:read-only )?connections/.test(line)) {
      log.resume()
      return
    }
    said.push(line)
  }
  throw new Error(`PostgreSQL did not start:\n${said.join('\n')}`)
}
