import { Counts } from '#core/counts.ts'
import type { AnyRequest } from '#core/http-message.ts'
import { isGone } from '#edge/respond.ts'
import type { Handle } from '#listener/listener-request.ts'

/** So long after the last visit the process has nobody to look after but those who ask now. */
const ALONE_MS = 1000

/** Requests of one source that wait in the turns of whomever they name. Sites and callers are easily made up. */
const MOST_WAITING = 8

export interface InTurns {
  /** Begins one request in each turn of the event loop. */
  handle(next: Handle): Handle
  /** Somebody visits a site, at this time by `performance.now`. */
  noteVisit(at: number): void
}

interface InTurnsParts {
  /** Whose request it is: a site's, or a caller's of the API. */
  readonly keyOf: (req: AnyRequest) => string
  /** Where it comes from, which nobody can make up. */
  readonly sourceOf?: (req: AnyRequest) => string
  readonly now?: () => number
  /** Has something done in the next turn of the event loop. */
  readonly later?: (work: () => void) => void
}

/**
 * Requests that come together are begun together, and whoever comes a moment later waits for all of them: sixteen lists of
 * 5 ms each are 80 ms for a visitor. While there are visitors, only one request is begun in each turn of the event loop,
 * of whoever has waited longest since their last one; what comes meanwhile and takes microseconds is answered between them. Whoever
 * sends very many at once has one turn for all of them but the first few, whatever names they come under.
 */
export function createInTurns({
  keyOf,
  sourceOf,
  now = () => performance.now(),
  later = (work) => void setImmediate(work),
}: InTurnsParts): InTurns {
  /** By whose turn it is and then by key, both in the order in which it is their turn. */
  const waiting = new Map<string, Map<string, (() => void)[]>>()
  const bySource = new Counts()
  let visitedAt = Number.NEGATIVE_INFINITY
  let isTaken = false

  function nextTurn(): void {
    isTaken = false
    const begin = takeNext()
    if (begin === undefined) return
    take()
    begin()
  }

  function takeNext(): (() => void) | undefined {
    for (const [turn, keys] of waiting)
      for (const [key, begins] of keys) {
        const begin = begins.shift()
        keys.delete(key)
        if (begins.length > 0) keys.set(key, begins)
        waiting.delete(turn)
        if (keys.size > 0) waiting.set(turn, keys)
        return begin
      }
    return undefined
  }

  function take(): void {
    isTaken = true
    later(nextTurn)
  }

  return {
    noteVisit(at) {
      visitedAt = at
    },
    handle: (next) => (req, res) => {
      if (!isTaken && waiting.size === 0) {
        if (now() - visitedAt <= ALONE_MS) take()
        return next(req, res)
      }
      const key = keyOf(req)
      const source = sourceOf?.(req)
      const turn =
        source !== undefined && bySource.of(source) >= MOST_WAITING ? `from ${source}` : `of ${key}`
      const keys = waiting.get(turn) ?? new Map<string, (() => void)[]>()
      const begins = keys.get(key) ?? []
      waiting.set(turn, keys.set(key, begins))
      if (source !== undefined) bySource.add(source, 1)
      // What goes wrong later is told to whoever asked now.
      return new Promise((resolve, reject) => {
        begins.push(() => {
          if (source !== undefined) bySource.add(source, -1)
          try {
            // Who has gone away meanwhile is answered by nobody.
            resolve(isGone(res) ? undefined : next(req, res))
          } catch (error) {
            reject(error)
          }
        })
      })
    },
  }
}
