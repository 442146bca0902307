import { useEffect, useState } from 'react'
import type { Client } from '#client/client.ts'
import { followLog, type LogEvent, readLog } from '#client/follow/log-events.ts'
import { LOG_LIMIT } from '#contract/api/log.ts'
import { useAccount } from '../../api/account.tsx'
import { explain } from '../../api/explain.ts'

/** As many lines as a page can hold; the newest are kept. */
const MAX_LINES = 20_000
/** Lines come one by one; the page is told of them together. */
const TOGETHER_MS = 60

/** The whole log from its first line on, and then whatever comes while it is built. */
async function* wholeLog(
  client: Client,
  id: string,
  signal: AbortSignal,
): AsyncGenerator<readonly LogEvent[]> {
  let since: string | undefined
  for (;;) {
    const page = await readLog(client, id, { builds: true, ...(since !== undefined && { since }) })
    signal.throwIfAborted()
    yield page
    since = page.at(-1)?.payload.serial ?? since
    if (page.length < LOG_LIMIT) break
  }
  const rest = { builds: true, ...(since !== undefined && { since }) }
  for await (const line of followLog(client, id, rest, { signal })) yield [line]
}

/** Everything that the build printed so far, as text to keep. */
export async function buildLogText(client: Client, id: string): Promise<string> {
  let text = ''
  let since: string | undefined
  for (;;) {
    const page = await readLog(client, id, { builds: true, ...(since !== undefined && { since }) })
    for (const { type, payload } of page) text += `${type === 'command' ? '$ ' : ''}${payload.text}\n`
    since = page.at(-1)?.payload.serial
    if (page.length < LOG_LIMIT || since === undefined) return text
  }
}

export interface BuildLogState {
  readonly lines: readonly LogEvent[]
  /** How many lines before these are not held any more. */
  readonly dropped: number
  readonly isOver: boolean
  readonly problem?: string
}

const NOTHING: BuildLogState = { lines: [], dropped: 0, isOver: false }

const grown = ({ lines, dropped, ...rest }: BuildLogState, more: readonly LogEvent[]): BuildLogState => {
  const all = [...lines, ...more]
  const over = Math.max(all.length - MAX_LINES, 0)
  return { ...rest, lines: over > 0 ? all.slice(over) : all, dropped: dropped + over }
}

/** What the build of a deployment prints, as it prints it. */
export function useBuildLog(id: string): BuildLogState {
  const { client } = useAccount()
  const [state, setState] = useState(NOTHING)
  useEffect(() => {
    const stop = new AbortController()
    let waiting: LogEvent[] = []
    let timer: ReturnType<typeof setTimeout> | undefined
    const show = () => {
      timer = undefined
      const more = waiting
      waiting = []
      setState((before) => grown(before, more))
    }
    const follow = async () => {
      try {
        for await (const lines of wholeLog(client, id, stop.signal)) {
          waiting.push(...lines)
          timer ??= setTimeout(show, TOGETHER_MS)
        }
        if (!stop.signal.aborted) setState((before) => ({ ...before, isOver: true }))
      } catch (error) {
        if (!stop.signal.aborted) setState((before) => ({ ...before, isOver: true, problem: explain(error) }))
      }
    }
    setState(NOTHING)
    void follow()
    return () => {
      stop.abort()
      clearTimeout(timer)
    }
  }, [client, id])
  return state
}
