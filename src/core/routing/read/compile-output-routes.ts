import { indexPatterns } from '../match/rule-index.ts'
import type { OutputHandle } from '../route.ts'
import type { OutputPhases, OutputRule, RouteTable } from '../route-table.ts'
import { EMPTY_TABLE } from './compile-routes.ts'
import { patternsOfRule, type ReadOutputRoute, readOutputRoute } from './read-output-route.ts'
import { createCompiler } from './table-compiler.ts'

/**
 * The routes of a build output, as frameworks emit them in the Build Output API (version 3). They know more than those that
 * users send, and fields without a meaning here are passed over. Tables of both kinds are matched by `matchRoutes`.
 */
export const {
  compile: compileOutputRoutes,
  compileInTurns: compileOutputRoutesInTurns,
  restore: restoreOutputRoutes,
} = createCompiler<ReadOutputRoute>({
  maxRoutes: 10_000,
  // Requests compile what they need, and of all tables only so many are kept.
  maxRegexSize: 400_000,
  read(value, report, handles) {
    const read = readOutputRoute(value, report)
    if (read?.kind === 'source' && read.rule.middlewarePath !== undefined && handles.length > 0)
      report('middlewarePath', 'can only be used before the first handle')
    return read
  },
  patternsOf: (read) => (read.kind === 'source' ? patternsOfRule(read.rule) : []),
  toTable,
})

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
