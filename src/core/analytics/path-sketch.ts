import { type CountedVisit, clearTally, countVisit, createTally, type Tally } from './tally.ts'

/** Paths that one sketch counts. */
export const SKETCHED_PATHS = 50

/** Longer ones are told apart by their beginning. */
const MAX_LENGTH = 200

interface CountedPath {
  path: string
  readonly tally: Tally
  /** How many visits of paths without a place it outlives. */
  credit: number
}

/**
 * Counts the paths that are visited most, however many others there are. When all places are taken, a path that has
 * none takes some credit from one that has, each in its turn, and the place of one that has no credit left. So what
 * makes up a fair share of all visits keeps its place, counting costs the same for every visit, and no count is ever
 * too high.
 */
export class PathSketch {
  readonly #places: CountedPath[] = []
  readonly #byPath = new Map<string, CountedPath>()
  #hand = 0
  /** What was asked for last, which often is asked for again, and where it is counted. */
  #last: { readonly target: string; readonly held: CountedPath } | undefined

  /** The path as it was asked for. */
  count(target: string, visit: CountedVisit): void {
    const held = this.#last?.target === target ? this.#last.held : this.#find(target)
    if (held === undefined) return
    held.credit++
    countVisit(held.tally, visit)
  }

  tallies(): Iterable<{ readonly path: string; readonly tally: Tally }> {
    return this.#places
  }

  #find(target: string): CountedPath | undefined {
    const path = pathIn(target)
    const held = this.#byPath.get(path) ?? this.#place(path)
    // The place of the last one may be another's now.
    if (held !== undefined) this.#last = { target, held }
    return held
  }

  #place(path: string): CountedPath | undefined {
    if (this.#places.length < SKETCHED_PATHS) {
      const held = { path, tally: createTally(), credit: 0 }
      this.#places.push(held)
      this.#byPath.set(path, held)
      return held
    }
    const held = this.#places[this.#hand] as CountedPath
    this.#hand = (this.#hand + 1) % SKETCHED_PATHS
    if (held.credit > 1) {
      held.credit--
      return undefined
    }
    this.#byPath.delete(held.path)
    held.path = path
    clearTally(held.tally)
    held.credit = 0
    this.#byPath.set(path, held)
    return held
  }
}

/** Without the query, which may hold what is nobody's business. */
function pathIn(target: string): string {
  const query = target.indexOf('?')
  const end = query < 0 ? target.length : query
  if (end > MAX_LENGTH) return `${target.slice(0, MAX_LENGTH)}…`
  return query < 0 ? target : target.slice(0, end)
}
