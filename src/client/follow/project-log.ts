import {
  type ProjectLogEntry,
  type ProjectLogs,
  type ProjectLogsQuery,
  readProjectLogs,
} from '#contract/api/project-log.ts'
import { backoff, isPassing, type Persistence } from '../call/persist.ts'
import type { Client } from '../client.ts'
import { pause } from '../client.ts'
import { followLines } from './follow-lines.ts'

export type ProjectLogFilter = Omit<ProjectLogsQuery, 'follow'>

/** A page of a project's log, the newest entry first. */
export async function readProjectLog(
  client: Client,
  idOrName: string,
  query: ProjectLogFilter,
  signal?: AbortSignal,
): Promise<ProjectLogs> {
  const response = await client.call(readProjectLogs, { params: { idOrName }, query, signal })
  return (await response.json()) as ProjectLogs
}

interface FollowOptions extends Persistence {
  /** Told whenever the connection is there, or is lost for a while. */
  readonly onConnection?: (isThere: boolean) => void
}

/**
 * Entries as they come, the oldest first, until the signal says that it is enough. A connection that breaks is made
 * anew after the last entry that was seen.
 */
export async function* followProjectLog(
  client: Client,
  idOrName: string,
  query: ProjectLogFilter,
  { signal, wait = pause, onConnection = () => {} }: FollowOptions = {},
): AsyncGenerator<ProjectLogEntry, void> {
  let position: ProjectLogFilter = query
  for (let failures = 0; ; failures++) {
    const open = async (signal: AbortSignal): Promise<Response> => {
      const query = { ...position, follow: true }
      const response = await client.call(readProjectLogs, { params: { idOrName }, query, signal })
      onConnection(true)
      return response
    }
    try {
      for await (const entry of followLines<ProjectLogEntry>(client.baseUrl, open, signal)) {
        failures = 0
        const { limit: _seen, ...rest } = position
        position = { ...rest, since: entry.serial }
        yield entry
      }
    } catch (error) {
      signal?.throwIfAborted()
      if (!isPassing(error)) throw error
    }
    onConnection(false)
    await wait(backoff(failures), signal)
  }
}
