import type { Static } from 'typebox'
import type { getVariable } from '#contract/api/env-variable.ts'

export type Variable = Static<typeof getVariable.reply>

/** Where a variable is set: `production, preview`, `preview (branch dev)`. */
export const placeOf = (
  {
    target,
    gitBranch,
    customEnvironmentIds = [],
  }: Pick<Variable, 'target' | 'gitBranch' | 'customEnvironmentIds'>,
  names: ReadonlyMap<string, string>,
): string => {
  const places = [...target, ...customEnvironmentIds.map((id) => names.get(id) ?? id)].join(', ') || 'nowhere'
  return gitBranch === undefined ? places : `${places} (branch ${gitBranch})`
}
