import { createHash } from 'node:crypto'
import { mkdir, readdir, rm, rmdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { SECOND } from '#contract/time.ts'
import { isRunning } from '../../fs/is-running.ts'
import { makeOwnFolder } from '../../fs/own-folder.ts'
import { isAnswered } from '../../fs/socket-file.ts'

/** Where things lie on this machine. */
export interface Places {
  /** In which all of these are, but for the sockets. */
  readonly folder: string
  /** Program folders, by the digest of their archive. */
  readonly programs: string
  /** Compiled code, by program and project. */
  readonly caches: string
  /** A folder for each instance, on the file system of the programs. */
  readonly instances: string
  /** Sockets, whose paths must be short. */
  readonly run: string
}

/** What an address of a unix socket holds, without the zero at its end; less on systems other than Linux. */
const LONGEST_PATH = process.platform === 'linux' ? 107 : 103
/** The longest path below `run`. */
const LONGEST_NAME = '/zzzzz-zzzz/r/control.sock'.length

const OWNED = /^([0-9a-z]+)-[0-9a-z]+$/

/** The part of a name that tells whose it is. */
export const ownName = (n: number): string => `${process.pid.toString(36)}-${n.toString(36)}`

/** Whether an earlier process left it; one that had the number of this one did, if this one has just begun. */
export function isLeft(name: string): boolean {
  const pid = Number.parseInt(OWNED.exec(name)?.[1] ?? '', 36)
  return Number.isNaN(pid) || pid === process.pid || !isRunning(pid)
}

async function clear(folder: string): Promise<void> {
  for (const name of await readdir(folder))
    if (isLeft(name)) await rm(join(folder, name), { recursive: true, force: true })
}

export const defaultRunFolder = (folder: string): string => {
  const name = `aloft-run-${createHash('sha256').update(folder).digest('hex').slice(0, 10)}`
  return join(process.platform === 'linux' && process.getuid?.() === 0 ? '/run' : tmpdir(), name)
}

/**
 * Without a sandbox Node looks for a package.json in all folders above a file, and would find that of the clone in which
 * the data folder is by default: with its `type`, code of users would be another kind of module. Nobody's own file is
 * written over.
 */
async function endPackage(folder: string): Promise<void> {
  const description = 'Code that is built and run in here is part of no package of a folder above.'
  await writeFile(join(folder, 'package.json'), `${JSON.stringify({ private: true, description })}\n`, {
    flag: 'wx',
  }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
}

export async function openPlaces(folder: string, runFolder?: string): Promise<Places> {
  const run = runFolder ?? defaultRunFolder(folder)
  if (run.length + LONGEST_NAME > LONGEST_PATH)
    throw new Error(`The path ${run} is too long for sockets: choose another run folder`)
  const places = {
    folder,
    programs: join(folder, 'programs'),
    caches: join(folder, 'program-caches'),
    instances: join(folder, 'instances'),
    run,
  }
  await makeOwnFolder(run)
  for (const each of [places.programs, places.caches, places.instances])
    await mkdir(each, { recursive: true, mode: 0o700 })
  await endPackage(folder)
  await clear(places.run)
  await clear(places.instances)
  return places
}

/** Removes what is this process's own, or nobody's any more; the folder too, unless another one goes on with it. */
export async function leaveRunFolder(run: string, succeeded: boolean): Promise<void> {
  await clear(run).catch(() => {})
  // What is in it is another process's.
  if (!succeeded) await rmdir(run).catch(() => {})
}

/** What is left of an installation whose supervisor was killed notices that and ends, on a busy machine after seconds. */
const LEAVING_MS = 10 * SECOND

/** Throws where somebody answers at this socket, and goes on to; else removes what is left of it. */
export async function freeSocket(path: string, leavingMs = LEAVING_MS): Promise<void> {
  if (path.length > LONGEST_PATH) throw new Error(`The path ${path} is too long for a socket`)
  const givesUpAt = performance.now() + leavingMs
  while (await isAnswered(path)) {
    if (performance.now() >= givesUpAt) throw new Error(`Another process runs programs at ${path}`)
    await setTimeout(100)
  }
  await rm(path, { force: true })
}
