import { join } from 'node:path'
import { giveUpReserve, keepReserve } from '#adapters/fs/reserve.ts'
import { MINUTE } from '#contract/time.ts'
import type { JobHandler } from '#core/job/job-handler.ts'

/** Enough for the database to write down some thousand deletions, and for a start. */
const BYTES = 16 * 2 ** 20

/** Space that is set aside in the data folder for a day on which the disk is full. */
export interface Reserve {
  keep(): Promise<void>
  /** Tells whether there was anything to give up. */
  giveUp(): Promise<boolean>
}

export function createReserve(dataDir: string): Reserve {
  const path = join(dataDir, 'reserve')
  return { keep: () => keepReserve(path, BYTES), giveUp: () => giveUpReserve(path) }
}

export const createReserveJob = ({ reserve }: { readonly reserve: Reserve }): JobHandler => ({
  kind: 'disk.keep-reserve',
  summary: 'Reserve disk space that deletions can use when the disk is full',
  timeLimit: MINUTE,
  maxAttempts: 1,
  every: 10 * MINUTE,
  run: () => reserve.keep(),
})
