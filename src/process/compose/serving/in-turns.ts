import type { AnyRequest } from '#listener/listener-refusal.ts'
import type { Handle } from '#listener/listener-request.ts'

/** So long after the last visit the process has nobody to look after but those who ask now. */
const ALONE_MS = 1000

export interface InTurns {
  /** Begins one request in each turn of the event loop. */
  handle(next: Handle): Handle
  /** Somebody visits a site, at this time by `performance.now`. */
  noteVisit(at: number): void
}

interface InTurnsParts {
  /** Whose request it is: a site's, or a caller's of the API. */
  readonly keyOf: (req: AnyRequest) => string
  readonly now?: () => number
  /** Has something done in the next turn of the event loop. */
  readonly later?: (work: () => void) => void
}

/**
 * Requests that come together are begun together, and whoever comes a moment later waits for all of them: sixteen lists of
 * 5 ms each are 80 ms for a visitor. While there are visitors, only one request is begun in each turn of the event loop,
 * of whoever has waited longest since their last one; what comes meanwhile and takes microseconds is answered between them.
 */
export function createInTurns({
  keyOf,
  now = () => performance.now(),
  later = (work) => void setImmediate(work),
}: InTurnsParts): InTurns {
  /** By key, in the order in which it is their turn. */
  const waiting = new Map<string, (() => void)[]>()
  let visitedAt = Number.NEGATIVE_INFINITY
  let isTaken = false

  function nextTurn(): void {
    isTaken = false
    const [first] = waiting
    if (first === undefined) return
    const [key, begins] = first
    const begin = begins.shift()
    waiting.delete(key)
    if (begins.length > 0) waiting.set(key, begins)
    take()
    begin?.()
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
      const begins = waiting.get(key) ?? []
      waiting.set(key, begins)
      // What goes wrong later is told to whoever asked now.
      return new Promise((resolve, reject) => {
        begins.push(() => {
          try {
            // Who has gone away meanwhile is answered by nobody.
            resolve(req.destroyed ? undefined : next(req, res))
          } catch (error) {
            reject(error)
          }
        })
      })
    },
  }
}
