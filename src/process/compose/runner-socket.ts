import { createHash } from 'node:crypto'
import { readdirSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { isMissing } from '#adapters/fs/error-code.ts'

/** The address of a unix socket holds little more. */
const LONGEST = 100

/** Where the processes of this machine find each other: in the data folder, unless its path is too long. */
export const socketFolder = (dataDir: string): string => {
  const folder = resolve(dataDir)
  return join(folder, 'supervisor.sock').length <= LONGEST
    ? folder
    : join(tmpdir(), `aloft-${shortName(dataDir)}`)
}

const socketsOf = (dataDir: string, kind: 'runner' | 'api' | 'supervisor' = 'runner'): string =>
  join(socketFolder(dataDir), `${kind}.sock`)

/** Where a working process of this machine takes requests of the API that are not to hold up sites. */
export const apiSocket = (dataDir: string, seat: number): string => `${socketsOf(dataDir, 'api')}.${seat}`

/** What is answered for as long as a supervisor has a working process with this folder. */
export const supervisorSocket = (dataDir: string): string => socketsOf(dataDir, 'supervisor')

/** Where a working process of this machine takes requests for instances. */
export const runnerSocket = (dataDir: string, seat: number): string => `${socketsOf(dataDir)}.${seat}`

/** Where serving processes find the working process of their machine: the newest, unless they are told which. */
export function findRunnerSocket(dataDir: string, seat: number | undefined): () => string {
  if (seat !== undefined) return () => runnerSocket(dataDir, seat)
  const path = socketsOf(dataDir)
  const isOne = (name: string) => name.startsWith(`${basename(path)}.`)
  return () => {
    const found = namesIn(dirname(path))
      .filter(isOne)
      .map((name) => ({
        name,
        at: statSync(join(dirname(path), name), { throwIfNoEntry: false })?.ctimeMs ?? 0,
      }))
      .sort((a, b) => b.at - a.at)
    return join(dirname(path), found[0]?.name ?? `${basename(path)}.0`)
  }
}

/** Where only sites are served nobody listens, and whoever tidies up among temporary files may have removed the folder. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

/** Stands for a data folder in names that must be short. */
export const shortName = (dataDir: string): string =>
  createHash('sha256').update(resolve(dataDir)).digest('hex').slice(0, 16)
