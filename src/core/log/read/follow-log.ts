import { LOG_LIMIT } from '#contract/api/log.ts'
import type { OpenPermit } from '../../access/permit.ts'
import { InterruptiblePause } from '../../interruptible-pause.ts'
import type { Bus } from '../../ports/bus.ts'
import { isUnavailable } from '../../ports/is-unavailable.ts'
import type { LogEntry } from '../log-entry.ts'
import { LOGS_TOPIC, type LogFilter, type LogPage, type LogQuery } from '../log-store.ts'
import { collectPage } from './collect-entries.ts'

/** How many of the entries that are there already, the newest; absent: all after `after`, else as many as an answer holds. */
interface History {
  readonly limit?: number | undefined
}

export type FollowRequest<Filter = LogFilter> = Filter & History

export interface FollowParts {
  readonly bus: Pick<Bus, 'subscribe'>
  /** The longest pause between two looks, in case a wake-up was lost. */
  readonly pollMs: number
  /** The shortest, so that a busy log is read in larger pieces. */
  readonly gatherMs: number
}

export interface FollowEnd {
  readonly signal: AbortSignal
  /** Whether nothing more will come. */
  readonly isFinished?: (() => Promise<boolean>) | undefined
  /** The account that follows; the platform itself may follow as much as it likes. */
  readonly by?: string
  /** Who follows may lose the right to: nothing is told once it has ended. The platform needs none. */
  readonly permit?: OpenPermit | undefined
}

interface Beginning {
  readonly history: readonly LogEntry[]
  /** Everything of the history is up to here, everything to come is beyond. */
  readonly position: string
}

const START = '-1'

/** What tells the place in a log. */
type Range = Pick<LogFilter, 'after' | 'before'>

/** A log that can be followed: of a deployment, or of a project. */
interface FollowedLog<Filter> {
  /** What is told on the bus when it has grown. */
  readonly id: string
  read(query: (Filter | Range) & Pick<LogQuery, 'direction' | 'limit'>): Promise<LogPage>
}

export async function* followLog<Filter extends Range>(
  { bus, pollMs, gatherMs }: FollowParts,
  log: FollowedLog<Filter>,
  { limit, ...rest }: FollowRequest<Filter>,
  { signal, isFinished, permit: openPermit }: FollowEnd,
): AsyncGenerator<LogEntry, void> {
  const filter = rest as unknown as Filter
  const pause = new InterruptiblePause(signal)
  const unsubscribe = bus.subscribe(LOGS_TOPIC, (id) => {
    if (id === log.id) pause.wake()
  })
  const permit = openPermit?.(() => pause.wake())

  /** A store that is away for a while ends nobody's following. */
  async function look<T>(read: () => Promise<T>): Promise<T | undefined> {
    while (!signal.aborted) {
      try {
        return await read()
      } catch (error) {
        if (!isUnavailable(error)) throw error
      }
      await pause.pause(gatherMs, pollMs)
    }
    return undefined
  }

  /** Asked after what is to be told was read: it may be of a time when they had lost the right to it. */
  const mayTell = async () => (await look(async () => (await permit?.holds()) ?? true)) ?? false

  async function begin(): Promise<Beginning> {
    if (limit === undefined && filter.after !== undefined) return { history: [], position: filter.after }
    const newest = await log.read({ direction: 'backward', limit: 1 })
    const position = newest.position ?? START
    const { entries } = await collectPage((query) => log.read(query), {
      ...filter,
      direction: 'backward',
      before: String(BigInt(position) + 1n),
      limit: Math.min(limit ?? LOG_LIMIT, LOG_LIMIT),
    })
    return { history: entries.toReversed(), position: higher(position, filter.after) }
  }

  try {
    const beginning = await look(begin)
    if (beginning === undefined || !(await mayTell())) return
    yield* beginning.history
    let { position } = beginning
    let finished = false
    while (!signal.aborted) {
      const page = await look(() =>
        log.read({ ...filter, direction: 'forward', after: position, limit: LOG_LIMIT }),
      )
      if (page === undefined || !(await mayTell())) return
      yield* page.entries
      position = page.position ?? position
      if (!page.complete) continue
      if (finished) return
      // Once it is, there is one more look for what was written before.
      finished = (await look(async () => (await isFinished?.()) ?? false)) ?? false
      if (!finished) await pause.pause(gatherMs, pollMs)
    }
  } finally {
    unsubscribe()
    permit?.end()
  }
}

const higher = (serial: string, other: string | undefined): string =>
  other !== undefined && BigInt(other) > BigInt(serial) ? other : serial
