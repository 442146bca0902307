import { type Pattern, regexError, sizeError } from '../pattern/pattern.ts'
import type { Route, RouteError } from '../route.ts'
import type { RouteTable } from '../route-table.ts'
import type { Report } from './read-route.ts'

type CompiledRoutes =
  | { readonly ok: true; readonly table: RouteTable }
  | { readonly ok: false; readonly errors: readonly RouteError[] }

type AnyRead =
  | { readonly kind: 'handle'; readonly route: { readonly handle: string } }
  | { readonly kind: 'source' }

/** What is particular to one way of writing routes. */
interface Format<Read extends AnyRead> {
  readonly maxRoutes: number
  /** All regexes of a table together: a bound on what they cost to compile and to keep. */
  readonly maxRegexSize: number
  /** What it returns counts only if nothing was reported. `handles` are those before it. */
  read(value: unknown, report: Report, handles: readonly string[]): Read | undefined
  /** The patterns of a route, each with the field that it is written in. */
  patternsOf(read: Read): readonly (readonly [field: string, pattern: Pattern])[]
  toTable(read: readonly Read[]): RouteTable
}

interface Compiler {
  /** Checks and compiles routes that somebody sent. Without routes the table is empty. */
  compile(routes: unknown): CompiledRoutes
  /** The same with pauses: what the regexes of a large table take holds up nobody else. */
  compileInTurns(routes: unknown): Promise<CompiledRoutes>
  /**
   * Compiles routes that `compile` accepted before, as they come back from where they are kept. A regex is left to the first
   * request that needs it, so that a large table does not hold up its site.
   */
  restore(routes: readonly Route[]): RouteTable
}

/** Why a pattern cannot be used, if so. */
type CheckPattern = (pattern: Pattern) => string | undefined

const MAX_ERRORS = 100
const TURN_SIZE = 2000
const TOO_MUCH_REGEX = 'all patterns of the list together are too complex; shorten them or repeat less'

export const createCompiler = <Read extends AnyRead>(format: Format<Read>): Compiler => ({
  compile: (routes) => atOnce(readTable(routes, format, checkSent(format))),
  async compileInTurns(routes) {
    const reading = readTable(routes, format, checkSent(format))
    for (;;) {
      const step = reading.next()
      if (step.done) return step.value
      await new Promise(setImmediate)
    }
  },
  restore(routes) {
    const result = atOnce(readTable(routes, format, () => undefined))
    if (result.ok) return result.table
    throw new Error(`Stored routes are not valid: ${result.errors[0]?.message}`)
  },
})

/** What all of them together come to is limited as well. */
function checkSent({ maxRegexSize }: { readonly maxRegexSize: number }): CheckPattern {
  let total = 0
  return (pattern) => {
    const reason = sizeError(pattern)
    if (reason !== undefined) return reason
    total += pattern.size
    return total > maxRegexSize ? TOO_MUCH_REGEX : regexError(pattern)
  }
}

function atOnce<T>(work: Generator<undefined, T>): T {
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
  }
}

/** Stops now and then, after as much regex as takes a few milliseconds to compile. */
function* readTable<Read extends AnyRead>(
  given: unknown,
  { maxRoutes, read, patternsOf, toTable }: Format<Read>,
  check: CheckPattern,
): Generator<undefined, CompiledRoutes> {
  const routes = given ?? []
  if (!Array.isArray(routes)) return refuse('must be a list')
  if (routes.length > maxRoutes)
    return refuse(`has ${routes.length} entries; at most ${maxRoutes} are allowed`)

  const errors: RouteError[] = []
  const all: Read[] = []
  const handles: string[] = []
  let regexSize = 0
  let turn = 0
  for (const [index, value] of routes.entries()) {
    const report: Report = (field, message) => errors.push(routeError(index, field, message))
    const route = read(value, report, handles)
    if (route !== undefined) {
      if (route.kind === 'handle') handles.push(route.route.handle)
      for (const [field, pattern] of patternsOf(route)) {
        regexSize += pattern.size
        if (Math.floor(regexSize / TURN_SIZE) > turn) {
          turn = Math.floor(regexSize / TURN_SIZE)
          yield
        }
        const reason = check(pattern)
        if (reason !== undefined) report(field, `cannot be used: ${reason}`)
      }
      all.push(route)
    }
    if (errors.length >= MAX_ERRORS) break
  }
  return errors.length > 0
    ? { ok: false, errors: errors.slice(0, MAX_ERRORS) }
    : { ok: true, table: toTable(all) }
}

const refuse = (message: string): CompiledRoutes => ({ ok: false, errors: [routeError(null, null, message)] })

function routeError(index: number | null, field: string | null, message: string): RouteError {
  const place = `routes${index === null ? '' : `[${index}]`}${field === null ? '' : `.${field}`}`
  return { index, field, message: `${place} ${message}` }
}
