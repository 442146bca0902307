import { indexPatterns } from '../match/rule-index.ts'
import type { Handle } from '../route.ts'
import type { Phase, RouteTable, Rule } from '../route-table.ts'
import { type ReadRoute, readRoute } from './read-route.ts'
import { createCompiler } from './table-compiler.ts'

export const EMPTY_TABLE: RouteTable = { routes: [], phases: [] }

/** Routes that users send. */
export const { compile: compileRoutes, restore: restoreRoutes } = createCompiler<ReadRoute>({
  maxRoutes: 1024,
  maxRegexSize: 30_000,
  read(value, report, handles) {
    const read = readRoute(value, report)
    if (read?.kind === 'handle' && handles.includes(read.route.handle))
      report('handle', `"${read.route.handle}" appears twice; use it once`)
    return read
  },
  patternsOf: (read) => (read.kind === 'source' ? [['src', read.rule.pattern]] : []),
  toTable: (all) =>
    all.length === 0 ? EMPTY_TABLE : { routes: all.map(({ route }) => route), phases: toPhases(all) },
})

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
