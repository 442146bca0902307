import { type EventsQuery, type LogSource, type LogType, readEvents } from '#contract/api/log.ts'
import { backoff, isPassing, isPassingWhileFollowed, type Persistence } from '../call/persist.ts'
import type { Client } from '../client.ts'
import { pause } from '../client.ts'
import { followLines } from './follow-lines.ts'

/** An entry of a deployment's log, as the endpoint shows it. */
export interface LogEvent {
  readonly type: LogType
  readonly created: number
  readonly payload: {
    readonly deploymentId: string
    readonly info: { readonly type: LogSource; readonly name: string; readonly entrypoint: string }
    readonly text: string
    readonly id: string
    readonly date: number
    readonly serial: string
    readonly requestId?: string
    /** Of what a program wrote as an error. */
    readonly level?: 'error'
  }
}

export type LogQuery = Omit<EventsQuery, 'follow' | 'format'>

const MAX_FAILURES = { short: 20, long: 200 } as const

export async function readLog(client: Client, id: string, query: LogQuery): Promise<LogEvent[]> {
  const response = await client.call(readEvents, { params: { id }, query })
  return (await response.json()) as LogEvent[]
}

/**
 * Entries as they come. A connection that breaks is made anew after the last entry that was seen. With
 * `builds` it ends when the installation says so; otherwise when the signal does.
 */
export async function* followLog(
  client: Client,
  id: string,
  query: LogQuery,
  { signal, wait = pause, retryFor = 'short' }: Persistence = {},
): AsyncGenerator<LogEvent, void> {
  const passes = retryFor === 'long' ? isPassingWhileFollowed : isPassing
  let position: LogQuery = query
  for (let failures = 0; ; ) {
    try {
      const open = (signal: AbortSignal) =>
        client.call(readEvents, { params: { id }, query: { ...position, follow: true }, signal })
      for await (const event of followLines<LogEvent>(client.baseUrl, open, signal)) {
        failures = 0
        const { limit: _seen, ...rest } = position
        position = { ...rest, since: event.payload.serial }
        yield event
      }
      if (query.builds === true) return
    } catch (error) {
      signal?.throwIfAborted()
      if (!passes(error) || failures >= MAX_FAILURES[retryFor]) throw error
    }
    await wait(backoff(failures++), signal)
  }
}
