import { constants } from 'node:fs'
import { access, mkdir, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, resolve } from 'node:path'
import { codeOf, isMissing } from '#adapters/fs/error-code.ts'
import { makeOwnFolder } from '#adapters/fs/own-folder.ts'
import { isAnswered, listenAt } from '#adapters/fs/socket-file.ts'
import type { Config } from '../../config/config.ts'
import { socketFolder, supervisorSocket } from '../compose/runner-socket.ts'
import { StartError } from '../supervisor/start-error.ts'

const NOT_WRITABLE = 'this user may not write there; choose another folder, or make this user its owner'
const REASONS: Readonly<Record<string, string>> = {
  EACCES: NOT_WRITABLE,
  EPERM: NOT_WRITABLE,
  EROFS: 'its file system is read-only',
  ENOTDIR: 'a part of this path is a file',
  EEXIST: 'it is a file',
  ENOSPC: 'its disk is full',
  EDQUOT: 'the disk quota of this user is used up',
  ENAMETOOLONG: 'the path is too long',
  ELOOP: 'it is a symlink that leads to itself',
}

/** Throws where the data folder is not there and cannot be made, or where nothing can be written to it. */
export const requireDataFolder = ({ dataDir }: Pick<Config, 'dataDir'>): Promise<void> =>
  requireFolder(
    'ALOFT_DATA_DIR',
    dataDir,
    { ...REASONS, ENOENT: 'it cannot be created there, or is a symlink to a folder that does not exist' },
    () => makeFolder(dataDir),
  )

/** Throws where there is no folder for what processes leave in one for a moment. */
export const requireTemporaryFolder = (folder: string = tmpdir()): Promise<void> =>
  requireFolder('TMPDIR', folder, { ...REASONS, ENOENT: 'it does not exist' }, async () => {
    if (!(await stat(folder)).isDirectory()) throw Object.assign(new Error(), { code: 'EEXIST' })
  })

/** Throws where another user of the machine could answer in the place of a process of this installation. */
export async function requireSocketFolder({ dataDir }: Pick<Config, 'dataDir'>): Promise<void> {
  const folder = socketFolder(dataDir)
  if (folder === resolve(dataDir)) return
  try {
    await makeOwnFolder(folder)
  } catch (error) {
    throw new StartError(
      `ALOFT_DATA_DIR: its path is too long for sockets, and ${(error as Error).message}; choose a shorter path`,
    )
  }
}

/**
 * Makes what is missing of a path. What Node.js has for that says of a file system that is read-only that a folder is missing, and
 * tries again and again where the system makes no folders, as in /proc.
 */
async function makeFolder(path: string): Promise<void> {
  try {
    await makeOne(path)
  } catch (error) {
    if (!isMissing(error) || dirname(path) === path) throw error
    await makeFolder(dirname(path))
    await makeOne(path)
  }
}

/** Another start may have made it a moment ago. */
async function makeOne(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 })
  } catch (error) {
    if (codeOf(error) !== 'EEXIST' || !(await stat(path)).isDirectory()) throw error
  }
}

async function requireFolder(
  variable: string,
  folder: string,
  reasons: Readonly<Record<string, string>>,
  make: () => Promise<unknown>,
): Promise<void> {
  try {
    await make()
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    const reason = reasons[codeOf(error) ?? '']
    if (reason === undefined) throw error
    throw new StartError(`${variable}: ${folder} cannot be used: ${reason}`)
  }
}

/**
 * Throws where another supervisor has a working process with this folder: both would build, run and clean up there. Ends
 * with the process, however it ends. What is returned leaves the folder to the next.
 */
export async function holdDataFolder({ dataDir }: Pick<Config, 'dataDir'>): Promise<() => Promise<void>> {
  await requireSocketFolder({ dataDir })
  const path = supervisorSocket(dataDir)
  if (await isAnswered(path))
    throw new StartError(
      `ALOFT_DATA_DIR: another server is running with ${dataDir}; stop it, or choose another folder`,
    )
  const server = createServer((socket) => socket.destroy()).unref()
  const file = await listenAt(server, path)
  return async () => {
    server.close()
    await file.remove()
  }
}
