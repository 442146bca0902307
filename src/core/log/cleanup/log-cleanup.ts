import { setTimeout as sleep } from 'node:timers/promises'
import { DAY, HOUR, MINUTE } from '#contract/time.ts'
import type { JobHandler } from '../../job/job-handler.ts'
import type { Clock } from '../../ports/clock.ts'
import type { DiskSpace } from '../../ports/disk-space.ts'
import type { LogStore } from '../log-store.ts'

interface LogCleanupParts {
  readonly store: Pick<LogStore, 'rotate' | 'prune' | 'deleteOldest' | 'bytes' | 'otherBytes' | 'giveBack'>
  readonly clock: Clock
  /** What the logs of requests and functions may take at the most. */
  readonly maxBytes: number
  /** Absent where the log is not on a disk of this machine. */
  readonly disk?: Pick<DiskSpace, 'free'> | undefined
  /** Rows deleted at a time. */
  readonly step?: number
  /** Between two steps, so that those who write entries get their turn. */
  readonly pauseMs?: number
}

/** How long visits and what applications wrote are kept; where a day goes as a whole, until its end is as old. */
const RUNTIME_KEPT = 3 * DAY

/** Of what is free together with what the log has, the share that it may take. */
const SHARE_OF_DISK = 0.2

/** How long it is not counted again what is beside them. */
const OTHERS_COUNTED = HOUR

export function createLogCleanup({
  store,
  clock,
  maxBytes,
  disk,
  step = 1000,
  pauseMs = 10,
}: LogCleanupParts): JobHandler {
  const pause = (signal: AbortSignal) => sleep(pauseMs, undefined, { signal })

  let others = { bytes: 0, countedAt: Number.NEGATIVE_INFINITY }

  const isMoreThanAllowed = (bytes: number): boolean => {
    const share = disk === undefined ? Number.POSITIVE_INFINITY : (disk.free() + bytes) * SHARE_OF_DISK
    return bytes > Math.min(maxBytes, share)
  }

  /** Build output stays with its deployment, and counts of visits have a time of their own: no log is deleted because there is much of either. */
  async function isTooMuch(): Promise<boolean> {
    const bytes = await store.bytes()
    if (!isMoreThanAllowed(bytes)) return false
    const now = clock.monotonic()
    if (now - others.countedAt > OTHERS_COUNTED) others = { bytes: await store.otherBytes(), countedAt: now }
    return isMoreThanAllowed(Math.max(0, bytes - others.bytes))
  }

  return {
    kind: 'logs.clean-up',
    summary: 'Delete log entries of requests and functions that are older than 3 days or take too much space',
    timeLimit: 30 * MINUTE,
    maxAttempts: 3,
    every: MINUTE,
    run: async (_payload, { signal }) => {
      const now = clock.now()
      const createdBefore = now - RUNTIME_KEPT
      // Whatever is wrong with it, there has to be room.
      const failed = await store.rotate(now, createdBefore).then(
        () => undefined,
        (error: unknown) => ({ error }),
      )
      while ((await store.prune(createdBefore, step)) === step) await pause(signal)
      // Fewer at a time: a row may be a moment of a busy site.
      while ((await isTooMuch()) && (await store.deleteOldest(Math.ceil(step / 10))) > 0) await pause(signal)
      while (await store.giveBack()) await pause(signal)
      if (failed) throw failed.error
    },
  }
}
