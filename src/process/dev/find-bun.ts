import { join } from 'node:path'
import { RunnerError } from '#core/ports/runner.ts'
import { folderOnPath } from '../machine/on-path.ts'

/** The Bun that is installed on this machine. */
export async function findBun(): Promise<{ readonly folder: string }> {
  const found = folderOnPath('bun')
  if (found !== undefined) return { folder: join(found, '..') }
  throw new RunnerError(
    'unavailable',
    'This project runs on Bun, which is not installed on this machine. Install it, or deploy: Aloft includes its own.',
  )
}
