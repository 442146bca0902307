import { indexPatterns } from '../match/rule-index.ts'
import { type Pattern, regexError } from '../pattern/pattern.ts'
import type { OutputHandle, Route, RouteError } from '../route.ts'
import type { OutputPhases, OutputRule, RouteTable } from '../route-table.ts'
import { type CompiledRoutes, EMPTY_TABLE, routeError } from './compile-routes.ts'
import { patternsOfRule, type ReadOutputRoute, readOutputRoute } from './read-output-route.ts'

const MAX_ROUTES = 10_000
/** All regexes of a table together. They are compiled when a request needs them, and only so many are kept. */
const MAX_REGEX_SIZE = 400_000
const MAX_ERRORS = 100

/**
 * Checks and compiles the routes of a build output, as frameworks emit them in the Build Output API (version 3).
 * They know more than those that users send, and fields without a meaning here are passed over. Tables of both
 * kinds are matched by `matchRoutes`.
 */
export const compileOutputRoutes = (routes: unknown): CompiledRoutes => readTable(routes, regexError)

/** Compiles routes that {@link compileOutputRoutes} accepted before; regexes are left to the first request. */
export function restoreOutputRoutes(routes: readonly Route[]): RouteTable {
  const result = readTable(routes, () => undefined)
  if (result.ok) return result.table
  throw new Error(`Stored routes are not valid: ${result.errors[0]?.message}`)
}

function readTable(routes: unknown, checkRegex: (pattern: Pattern) => string | undefined): CompiledRoutes {
  if (routes === undefined || routes === null) routes = []
  if (!Array.isArray(routes)) return { ok: false, errors: [routeError(null, null, 'must be a list')] }
  if (routes.length > MAX_ROUTES)
    return {
      ok: false,
      errors: [routeError(null, null, `has ${routes.length} entries; at most ${MAX_ROUTES} are allowed`)],
    }

  const errors: RouteError[] = []
  const read: ReadOutputRoute[] = []
  let regexSize = 0
  let isStart = true
  for (const [index, value] of routes.entries()) {
    const report = (field: string | null, message: string) => errors.push(routeError(index, field, message))
    const route = readOutputRoute(value, report)
    if (route?.kind === 'handle') isStart = false
    if (route?.kind === 'source') {
      if (route.rule.middlewarePath !== undefined && !isStart)
        report('middlewarePath', 'can only be used before the first handle')
      for (const [field, pattern] of patternsOfRule(route.rule)) {
        regexSize += pattern.size
        const reason = regexSize > MAX_REGEX_SIZE ? TOO_MUCH_REGEX : checkRegex(pattern)
        if (reason !== undefined) report(field, `cannot be used: ${reason}`)
      }
    }
    if (route !== undefined) read.push(route)
    if (errors.length >= MAX_ERRORS) break
  }
  if (errors.length > 0) return { ok: false, errors: errors.slice(0, MAX_ERRORS) }
  return { ok: true, table: toTable(read) }
}

const TOO_MUCH_REGEX = 'all patterns of the list together are too complex; shorten them or repeat less'

function toTable(read: readonly ReadOutputRoute[]): RouteTable {
  const rules: Record<OutputHandle | 'start', OutputRule[]> = {
    start: [],
    filesystem: [],
    rewrite: [],
    resource: [],
    miss: [],
    hit: [],
    error: [],
  }
  let phase: OutputHandle | 'start' = 'start'
  for (const entry of read) {
    if (entry.kind === 'handle') phase = entry.route.handle
    else rules[phase].push(entry.rule)
  }
  const all = Object.values(rules).flat()
  return {
    routes: read.map(({ route }) => route),
    phases: EMPTY_TABLE.phases,
    output: toPhases(rules),
    variesOn: new Set(all.flatMap(headersSeen)),
  }
}

const toPhases = (rules: Readonly<Record<OutputHandle | 'start', readonly OutputRule[]>>): OutputPhases => {
  const phase = (name: OutputHandle | 'start') => ({
    rules: rules[name],
    index: indexPatterns(rules[name].map(({ pattern }) => pattern)),
  })
  return {
    start: phase('start'),
    filesystem: phase('filesystem'),
    rewrite: phase('rewrite'),
    resource: phase('resource'),
    miss: phase('miss'),
    hit: phase('hit'),
    error: phase('error'),
  }
}

/** The names of the request's headers that a rule looks at. */
const headersSeen = ({ has, missing, locale }: OutputRule): readonly string[] => [
  ...[...has, ...missing].flatMap(({ type, key }) =>
    type === 'header' ? [key] : type === 'cookie' ? ['cookie'] : [],
  ),
  ...(locale === undefined ? [] : ['cookie', 'accept-language']),
]
