import { indexPatterns } from '../match/rule-index.ts'
import { type Pattern, regexError } from '../pattern/pattern.ts'
import type { Handle, Route, RouteError } from '../route.ts'
import type { Phase, RouteTable, Rule } from '../route-table.ts'
import { type ReadRoute, readRoute } from './read-route.ts'

export type CompiledRoutes =
  | { readonly ok: true; readonly table: RouteTable }
  | { readonly ok: false; readonly errors: readonly RouteError[] }

const MAX_ROUTES = 1024
/** All regexes of a table together: a bound on what they cost to compile and to keep. */
const MAX_REGEX_SIZE = 30_000
const MAX_ERRORS = 100

export const EMPTY_TABLE: RouteTable = { routes: [], phases: [] }

/** Checks and compiles routes that a user sent. Without routes the table is empty. */
export const compileRoutes = (routes: unknown): CompiledRoutes => readTable(routes, regexError)

/**
 * Compiles routes that {@link compileRoutes} accepted before, as they come back from where they are kept. A
 * regex is left to the first request that needs it, so that a large table does not hold up its site.
 */
export function restoreRoutes(routes: readonly Route[]): RouteTable {
  const result = readTable(routes, () => undefined)
  if (result.ok) return result.table
  throw new Error(`Stored routes are not valid: ${result.errors[0]?.message}`)
}

function readTable(routes: unknown, checkRegex: (pattern: Pattern) => string | undefined): CompiledRoutes {
  if (routes === undefined || routes === null) return { ok: true, table: EMPTY_TABLE }
  if (!Array.isArray(routes)) return refuse('must be a list')
  if (routes.length > MAX_ROUTES)
    return refuse(`has ${routes.length} entries; at most ${MAX_ROUTES} are allowed`)

  const errors: RouteError[] = []
  const read: ReadRoute[] = []
  let regexSize = 0
  for (const [index, value] of routes.entries()) {
    const report = (field: string | null, message: string) => errors.push(routeError(index, field, message))
    const route = readRoute(value, report)
    if (route?.kind === 'handle' && read.some((earlier) => isSameHandle(earlier, route)))
      report('handle', `"${route.route.handle}" appears twice; use it once`)
    if (route?.kind === 'source') {
      regexSize += route.rule.pattern.size
      const reason = regexSize > MAX_REGEX_SIZE ? TOO_MUCH_REGEX : checkRegex(route.rule.pattern)
      if (reason !== undefined) report('src', `cannot be used: ${reason}`)
    }
    if (route !== undefined) read.push(route)
    if (errors.length >= MAX_ERRORS) break
  }
  if (errors.length > 0) return { ok: false, errors: errors.slice(0, MAX_ERRORS) }
  if (read.length === 0) return { ok: true, table: EMPTY_TABLE }
  return { ok: true, table: { routes: read.map(({ route }) => route), phases: toPhases(read) } }
}

const TOO_MUCH_REGEX = 'all patterns of the list together are too complex; shorten them or repeat less'

const refuse = (message: string): CompiledRoutes => ({ ok: false, errors: [routeError(null, null, message)] })

export function routeError(index: number | null, field: string | null, message: string): RouteError {
  const place = `routes${index === null ? '' : `[${index}]`}${field === null ? '' : `.${field}`}`
  return { index, field, message: `${place} ${message}` }
}

const isSameHandle = (a: ReadRoute, b: ReadRoute): boolean =>
  a.kind === 'handle' && b.kind === 'handle' && a.route.handle === b.route.handle

function toPhases(read: readonly ReadRoute[]): readonly Phase[] {
  const phases: { handle: Handle | undefined; rules: Rule[] }[] = [{ handle: undefined, rules: [] }]
  for (const entry of read) {
    if (entry.kind === 'handle') phases.push({ handle: 'filesystem', rules: [] })
    else phases.at(-1)?.rules.push(entry.rule)
  }
  return phases.map((phase) => ({
    ...phase,
    index: indexPatterns(phase.rules.map(({ pattern }) => pattern)),
  }))
}
