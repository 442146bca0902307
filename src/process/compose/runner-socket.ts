import { createHash } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

/** The address of a unix socket holds little more. */
const LONGEST = 100

/** Where serving processes find the working process of their machine. */
export function runnerSocket(dataDir: string): string {
  const path = join(resolve(dataDir), 'runner.sock')
  if (path.length <= LONGEST) return path
  return join(tmpdir(), `aloft-${shortName(dataDir)}.sock`)
}

/** Stands for a data folder in names that must be short. */
export const shortName = (dataDir: string): string =>
  createHash('sha256').update(resolve(dataDir)).digest('hex').slice(0, 16)
