import { type EventsQuery, type LogSource, type LogType, readEvents } from '#contract/api/log.ts'
import { MINUTE } from '#contract/time.ts'
import type { Client } from './client.ts'
import { pause } from './client.ts'
import { ConnectionError, connectionError } from './connection-error.ts'
import { backoff, isPassing, type Persistence } from './persist.ts'

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
  }
}

export type LogQuery = Omit<EventsQuery, 'follow' | 'format'>

/** The installation sends a sign of life every 15 seconds: silence means that nobody is there any more. */
const SILENCE = MINUTE
const MAX_LINE = 1_000_000
const MAX_FAILURES = 20

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
  { signal, wait = pause }: Persistence = {},
): AsyncGenerator<LogEvent, void> {
  let position: LogQuery = query
  for (let failures = 0; ; ) {
    try {
      for await (const event of once(client, id, position, signal)) {
        failures = 0
        const { limit: _seen, ...rest } = position
        position = { ...rest, since: event.payload.serial }
        yield event
      }
      if (query.builds === true) return
    } catch (error) {
      signal?.throwIfAborted()
      if (!isPassing(error) || failures >= MAX_FAILURES) throw error
    }
    await wait(backoff(failures++), signal)
  }
}

async function* once(
  client: Client,
  id: string,
  query: LogQuery,
  signal: AbortSignal | undefined,
): AsyncGenerator<LogEvent> {
  const stop = new AbortController()
  const signals = signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal])
  let timer: NodeJS.Timeout | undefined
  const stayPatient = () => {
    clearTimeout(timer)
    timer = setTimeout(() => stop.abort(), SILENCE)
  }
  try {
    stayPatient()
    const { body } = await client.call(readEvents, {
      params: { id },
      query: { ...query, follow: true },
      signal: signals,
    })
    if (body !== null) for await (const line of lines(body, stayPatient)) yield JSON.parse(line) as LogEvent
  } catch (error) {
    signal?.throwIfAborted()
    if (stop.signal.aborted) throw new ConnectionError(client.baseUrl, 'timeout', { cause: error })
    // A body that breaks off fails with an error of the runtime.
    throw error instanceof TypeError ? connectionError(client.baseUrl, error) : error
  } finally {
    clearTimeout(timer)
    stop.abort()
  }
}

/** Whole lines that are not blank; what comes after the last line break was cut off on its way. */
async function* lines(body: ReadableStream<Uint8Array>, onChunk: () => void): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of pieces(body)) {
    onChunk()
    rest += decoder.decode(chunk, { stream: true })
    const whole = rest.split('\n')
    rest = whole.pop() ?? ''
    if (rest.length > MAX_LINE) throw new Error('A line of the log is too long.')
    for (const line of whole) if (line !== '') yield line
  }
}

/** A body is a list of pieces by itself, but not in every browser. */
async function* pieces(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const reader = body.getReader()
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value
  } finally {
    reader.cancel().catch(() => {})
  }
}
