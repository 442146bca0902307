import { expandBraces } from './braces.ts'
import { isInSet } from './char-set.ts'
import { type GlobBudget, globBudget, spend } from './glob-budget.ts'
import { GlobError, LONGEST_GLOB } from './glob-error.ts'
import { parseGlob } from './parse-glob.ts'
import { DOT, END, SLASH, type State, statesOf } from './states.ts'

export { type GlobBudget, globBudget } from './glob-budget.ts'
export { GlobError } from './glob-error.ts'

export interface Glob {
  readonly matches: (path: string) => boolean
}

/** For a list of patterns, of which somebody may write as many as fit into a file: a fraction of a second in all. */
export const globListBudget = (): GlobBudget => globBudget(5_000_000)

/** To read a character of a pattern takes as long as to look at so many of a path. */
const WORK_OF_CHARACTER = 40
/** Looking for pairs of braces takes time by the square of the length, so many characters as fast as one of a path. */
const BRACES_AT_ONCE = 16

/**
 * A pattern of paths as shells and node:path know them: `*`, `**`, `?`, `[a-z]`, `{a,b}`, `+(a|b)` and its like.
 * `*` and `**` pass over names that begin with a dot, unless `dots` says otherwise. The time for a path grows with its length and the pattern's,
 * whatever both are made of; node:path's own takes exponential time for some. Throws a GlobError.
 */
export function compileGlob(pattern: string, budget = globBudget(), dots = false): Glob {
  if (pattern.length > LONGEST_GLOB) throw new GlobError(`it is longer than ${LONGEST_GLOB} characters`)
  const text = pattern.replaceAll('\\', '/')
  // What ends in a slash means a folder, and paths are of files.
  spend(budget, text.length ** 2 / BRACES_AT_ONCE)
  const patterns = expandBraces(text).filter((one) => !one.endsWith('/'))
  spend(budget, patterns.reduce((sum, one) => sum + one.length, 0) * WORK_OF_CHARACTER)
  const automaton = new Automaton(statesOf(patterns.map(parseGlob)), budget, dots)
  return { matches: (path) => automaton.matches(path) }
}

/** What names files: the path of one, or a pattern. Paths may hold characters that mean something in patterns. */
export function compilePathOrGlob(text: string, budget?: GlobBudget): Glob {
  const glob = compileGlob(text, budget)
  return { matches: (path) => path === text || glob.matches(path) }
}

/**
 * The same for one of a list of patterns that share a budget, where one that is none, or would take too long, names nothing. It is
 * read when a path is first compared with it.
 */
export function compileLenientGlob(pattern: string, budget: GlobBudget): Glob {
  let glob: Glob | undefined
  return {
    matches(path) {
      if (budget.left < 0) return false
      try {
        glob ??= compileGlob(pattern, budget)
        return glob.matches(path)
      } catch (error) {
        if (!(error instanceof GlobError)) throw error
        // Else it would be read again, at the cost of all others, for each path.
        glob = NEVER
        return false
      }
    },
  }
}

const NEVER: Glob = { matches: () => false }

/** Which states hold at a place, and where reading one more character to the left leads. */
interface StateSet {
  readonly holds: Uint8Array
  readonly before: Map<number, StateSet>
}

const MOST_PLACES = 512
const NOTHING = new Uint8Array(0)

/**
 * Reads a path from its end, keeping which states hold. The same set of states and the same character always
 * lead to the same set, so that these steps are remembered and most paths cost one look-up a character.
 */
class Automaton {
  readonly #states: readonly State[]
  readonly #budget: GlobBudget
  readonly #dots: boolean
  #places = new Map<string, StateSet>()
  #ends = new Map<number, StateSet>()

  constructor(states: readonly State[], budget: GlobBudget, dots: boolean) {
    this.#states = states
    this.#budget = budget
    this.#dots = dots
  }

  matches(path: string): boolean {
    let place: StateSet | undefined
    for (let at = path.length; at >= 0; at--) {
      const code = at === path.length ? END : path.charCodeAt(at)
      const isStart = at === 0 || path.charCodeAt(at - 1) === SLASH
      const key = code * 2 + (isStart ? 1 : 0)
      const known: StateSet | undefined = (place?.before ?? this.#ends).get(key)
      spend(this.#budget, known ? 1 : this.#states.length)
      place = known ?? this.#step(place, code, isStart, key)
    }
    return (place as StateSet).holds.at(-1) === 1
  }

  #step(after: StateSet | undefined, code: number, isStart: boolean, key: number): StateSet {
    const holds = evaluate(
      this.#states,
      after?.holds ?? NOTHING,
      code,
      isStart && !(this.#dots && code === DOT),
    )
    if (this.#places.size >= MOST_PLACES) {
      this.#places = new Map()
      this.#ends = new Map()
    }
    const name = Buffer.from(holds).toString('latin1')
    const place = this.#places.get(name) ?? { holds, before: new Map() }
    this.#places.set(name, place)
    const from = after?.before ?? this.#ends
    from.set(key, place)
    return place
  }
}

/** The states that hold at a place, given those that hold after the character there. */
function evaluate(states: readonly State[], after: Uint8Array, code: number, isStart: boolean): Uint8Array {
  const holds = new Uint8Array(states.length)
  const isName = code !== END && code !== SLASH
  // Nothing but a dot itself stands for one that begins a name, and no name is empty.
  const isOpen = !isStart || (isName && code !== DOT)
  const any = (of: readonly number[]): boolean => of.some((id) => holds[id] === 1)
  const test = (state: State, id: number): boolean => {
    switch (state.op) {
      case 'end':
        return code === END
      case 'char':
        return code === state.code && after[state.next] === 1
      case 'set':
        return (
          isName && isOpen && after[state.next] === 1 && (state.set === undefined || isInSet(state.set, code))
        )
      case 'star':
        return isOpen && (holds[state.next] === 1 || (isName && after[id] === 1))
      case 'folders':
        return holds[state.next] === 1 || (isName && isOpen && after[state.within] === 1)
      case 'withinFolder':
        return after[code === SLASH ? state.folders : id] === 1
      case 'last':
        return isName && isOpen && after[state.within] === 1
      case 'withinLast':
        return code === END || after[code === SLASH ? state.last : id] === 1
      case 'oneOf':
        return any(state.of)
      case 'loop':
        return holds[id] === 1 || holds[state.next] === 1
      case 'close':
        return any(state.of)
      case 'not':
        return holds[state.next] === 1 && !any(state.of)
    }
  }
  for (let id = 0; id < states.length; id++) {
    const state = states[id] as State
    holds[id] = test(state, id) ? 1 : 0
    if (state.op === 'close' && holds[id] === 1 && holds[state.loop] === 0) {
      holds[state.loop] = 1
      id = state.loop - 1
    }
  }
  return holds
}
