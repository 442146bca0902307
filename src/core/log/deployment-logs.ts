import { LOG_LIMIT } from '#contract/api/log.ts'
import { AloftError } from '#contract/errors.ts'
import { SECOND } from '#contract/time.ts'
import { collectEntries } from './collect-entries.ts'
import { type FollowEnd, type FollowParts, type FollowWish, followLog } from './follow-log.ts'
import type { LogEntry } from './log-entry.ts'
import type { LogFilter, LogQuery } from './log-store.ts'

export interface LogWish extends LogFilter {
  readonly direction: LogQuery['direction']
  /** Absent: as many as one answer holds. */
  readonly limit?: number | undefined
}

export interface DeploymentLogs {
  /** In the order of their serials, or backwards. */
  read(deploymentId: string, wish: LogWish): Promise<readonly LogEntry[]>
  /**
   * Entries that are there, then those to come: each once, in the order of their serials. Ends when the
   * signal aborts, when it is finished and everything was told, or when the use cases are closed.
   */
  follow(deploymentId: string, wish: FollowWish, end: FollowEnd): AsyncIterable<LogEntry>
  /** Ends all following. */
  close(): void
}

type LogParts = Pick<FollowParts, 'store' | 'bus'> & Partial<FollowParts> & { readonly maxFollowers?: number }

export function createDeploymentLogs({ maxFollowers = 1000, ...given }: LogParts): DeploymentLogs {
  const parts: FollowParts = { pollMs: SECOND, gatherMs: 50, ...given }
  const closing = new AbortController()
  let followers = 0

  async function* counted(entries: AsyncIterable<LogEntry>): AsyncGenerator<LogEntry, void> {
    followers++
    try {
      yield* entries
    } finally {
      followers--
    }
  }

  return {
    read: (deploymentId, { limit = LOG_LIMIT, ...wish }) =>
      collectEntries(parts.store, deploymentId, { ...wish, limit: Math.min(limit, LOG_LIMIT) }),

    follow(deploymentId, wish, { signal, isFinished }) {
      if (followers >= maxFollowers)
        throw new AloftError('service_unavailable', 'Too many logs are being followed; try again later.')
      const ended = AbortSignal.any([signal, closing.signal])
      return counted(followLog(parts, deploymentId, wish, { signal: ended, isFinished }))
    },

    close: () => closing.abort(),
  }
}
