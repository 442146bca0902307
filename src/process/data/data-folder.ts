import { constants } from 'node:fs'
import { access, mkdir } from 'node:fs/promises'
import type { Config } from '../../config/config.ts'
import { StartError } from '../supervisor/start-error.ts'

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'this user may not write there; choose another folder, or make this user its owner',
  EPERM: 'this user may not write there; choose another folder, or make this user its owner',
  EROFS: 'its file system is read-only',
  ENOTDIR: 'a part of this path is a file',
  EEXIST: 'it is a file',
  ENOSPC: 'its disk is full',
}

/** Throws where the data folder is not there and cannot be made, or where nothing can be written to it. */
export async function requireDataFolder({ dataDir }: Pick<Config, 'dataDir'>): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 })
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    const reason = REASONS[(error as NodeJS.ErrnoException).code ?? '']
    if (reason === undefined) throw error
    throw new StartError(`ALOFT_DATA_DIR: ${dataDir} cannot be used: ${reason}`)
  }
}
