import type { LogEntry } from '#core/log/log-entry.ts'
import type { LogPage, LogQuery, StatusRange } from '#core/log/log-store.ts'

/** What of the log is looked at: all of it, or what is of a project or a deployment. */
export interface LogScope {
  readonly projectId?: string | undefined
  readonly deploymentId?: string | undefined
}

export interface StretchQuery extends Pick<LogQuery, 'after' | 'before' | 'direction'> {
  readonly scope: LogScope
  /** What may be left out: whatever holds neither one of these statuses nor, where asked for, an error. */
  readonly holding?: { readonly statuses: readonly StatusRange[]; readonly errors: boolean } | undefined
  /** What the body of a block has to hold for anything of it to be meant. */
  readonly piece?: string | undefined
}

/** The next entries of one table, a bounded number of them, in the direction of the query. */
export interface LogStretch {
  readonly entries: readonly LogEntry[]
  /** The serial up to which everything was looked at; absent when there was nothing. */
  readonly end?: string
  /** Whether there is nothing beyond `end`. */
  readonly complete: boolean
}

const isBeyond = (direction: LogQuery['direction'], serial: string, other: string): boolean =>
  direction === 'forward' ? BigInt(serial) > BigInt(other) : BigInt(serial) < BigInt(other)

/** Two stretches as one: no further than both were looked at. */
export function mergeStretches(
  direction: LogQuery['direction'],
  first: LogStretch,
  second: LogStretch,
): LogStretch {
  if (first.end === undefined && first.complete) return second
  if (second.end === undefined && second.complete) return first
  const nearer = (a: LogStretch, b: LogStretch) => (isBeyond(direction, a.end ?? '0', b.end ?? '0') ? b : a)
  const complete = first.complete && second.complete
  const bounds = [first, second].filter((stretch) => !stretch.complete)
  const farthest = nearer(first, second) === first ? second : first
  const end = (bounds.length === 0 ? farthest : bounds.reduce(nearer)).end
  const entries = [...first.entries, ...second.entries]
    .filter(({ serial }) => complete || end === undefined || !isBeyond(direction, serial, end))
    .sort((a, b) => (isBeyond(direction, a.serial, b.serial) ? 1 : -1))
  return { entries, ...(end === undefined ? {} : { end }), complete }
}

/** The first of a stretch that are meant. */
export function pageOf(
  { entries, end, complete }: LogStretch,
  limit: number,
  isMeant: ((entry: LogEntry) => boolean) | undefined,
): LogPage {
  const found: LogEntry[] = []
  for (const entry of entries) {
    if (isMeant !== undefined && !isMeant(entry)) continue
    found.push(entry)
    if (found.length >= limit) return { entries: found, position: entry.serial, complete: false }
  }
  return { entries: found, ...(end === undefined ? {} : { position: end }), complete }
}
