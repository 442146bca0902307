import { LOG_LIMIT } from '#contract/api/log.ts'
import { PROJECT_LOG_LIMIT } from '#contract/api/project-log.ts'
import { AloftError } from '#contract/errors.ts'
import { SECOND } from '#contract/time.ts'
import { Counts } from '../../counts.ts'
import type { LogEntry } from '../log-entry.ts'
import type { LogFilter, LogPage, LogQuery, LogStore, ProjectLogFilter } from '../log-store.ts'
import { collectEntries, collectPage } from './collect-entries.ts'
import { type FollowEnd, type FollowParts, type FollowRequest, followLog } from './follow-log.ts'

export interface LogRequest extends LogFilter {
  readonly direction: LogQuery['direction']
  /** Absent: as many as one answer holds. */
  readonly limit?: number | undefined
}

export interface DeploymentLogs {
  /** In the order of their serials, or backwards. */
  read(deploymentId: string, request: LogRequest): Promise<readonly LogEntry[]>
  /**
   * Entries that are there, then those to come: each once, in the order of their serials. Ends when the
   * signal aborts, when it is finished and everything was told, when who follows may not any more, or when the use cases
   * are closed.
   */
  follow(deploymentId: string, request: FollowRequest, end: FollowEnd): AsyncIterable<LogEntry>
  /** Of all deployments of a project, the newest first. A search that finds little ends before the log does. */
  readProject(projectId: string, request: ProjectLogRequest): Promise<LogPage>
  followProject(
    projectId: string,
    request: FollowRequest<ProjectLogFilter>,
    end: FollowEnd,
  ): AsyncIterable<LogEntry>
  /** Ends all following. */
  close(): void
}

interface ProjectLogRequest extends ProjectLogFilter {
  readonly limit: number
}

type LogParts = Pick<FollowParts, 'bus'> &
  Partial<FollowParts> & {
    readonly store: Pick<LogStore, 'read' | 'readProject'>
    readonly maxFollowers?: number
    /** Of one account. */
    readonly maxOfOne?: number
  }

/** Windows of the log that one answer about a project searches. */
const PROJECT_LOOKS = 50

export function createDeploymentLogs({
  maxFollowers = 1000,
  maxOfOne = 50,
  store,
  ...given
}: LogParts): DeploymentLogs {
  const parts: FollowParts = { pollMs: SECOND, gatherMs: 50, ...given }
  const closing = new AbortController()
  let followers = 0
  const byAccount = new Counts()
  const count = (by: string | undefined, more: 1 | -1): void => {
    followers += more
    if (by !== undefined) byAccount.add(by, more)
  }

  async function* counted(
    entries: AsyncIterable<LogEntry>,
    { by }: FollowEnd,
  ): AsyncGenerator<LogEntry, void> {
    // Some may have come since it was looked how many there are.
    checkCrowd(by)
    count(by, 1)
    try {
      yield* entries
    } finally {
      count(by, -1)
    }
  }

  /** Every follower has all new entries read and searched, in the process that shows sites. */
  function checkCrowd(by: string | undefined): void {
    if (by !== undefined && byAccount.of(by) >= maxOfOne)
      throw new AloftError(
        'rate_limited',
        `An account can follow at most ${maxOfOne} logs at the same time. Stop following others first.`,
      )
    if (followers >= maxFollowers)
      throw new AloftError('service_unavailable', 'Too many logs are being followed. Try again later.')
  }

  /** As long as the caller likes, and we are here. */
  function untilClosed({ signal, isFinished, by, permit }: FollowEnd): FollowEnd {
    checkCrowd(by)
    return { signal: AbortSignal.any([signal, closing.signal]), isFinished, permit }
  }

  return {
    read: (deploymentId, { limit = LOG_LIMIT, ...request }) =>
      collectEntries(store, deploymentId, { ...request, limit: Math.min(limit, LOG_LIMIT) }),

    follow(deploymentId, request, end) {
      const log = { id: deploymentId, read: (query: LogQuery) => store.read(deploymentId, query) }
      return counted(followLog(parts, log, request, untilClosed(end)), end)
    },

    readProject: (projectId, { limit, ...request }) =>
      collectPage(
        (query) => store.readProject(projectId, query),
        { ...request, direction: 'backward', limit: Math.min(limit, PROJECT_LOG_LIMIT.max) },
        PROJECT_LOOKS,
      ),

    followProject(projectId, request, end) {
      const log = {
        id: projectId,
        read: (query: ProjectLogFilter & Pick<LogQuery, 'direction' | 'limit'>) =>
          store.readProject(projectId, query),
      }
      return counted(followLog(parts, log, request, untilClosed(end)), end)
    },

    close: () => closing.abort(),
  }
}
