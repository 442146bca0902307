import { HOUR, MINUTE } from '#contract/time.ts'
import type { JobHandler } from '../job/job-handler.ts'

export interface MoveProgress {
  readonly contents: number
  readonly bytes: number
}

/** Moves contents to where they are kept now. One that was interrupted goes on where it was. */
export type MoveContents = (signal: AbortSignal) => Promise<MoveProgress>

/**
 * Moves contents that are still where they were kept before, after the setting of where they are kept was changed. Until then
 * they are read from there.
 */
export const createMoveJob = (move: MoveContents): JobHandler => ({
  kind: 'files.move',
  summary: 'Move stored files to their current store, the disk or the object store',
  timeLimit: 12 * HOUR,
  maxAttempts: 1_000,
  backOff: () => MINUTE,
  every: 10 * MINUTE,
  async run(_payload, { signal, log }) {
    const { contents, bytes } = await move(signal)
    if (contents > 0) log.info({ contents, bytes }, 'file contents were moved to the current store')
    signal.throwIfAborted()
  },
})
