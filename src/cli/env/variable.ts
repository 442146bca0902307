import type { Static } from 'typebox'
import type { getVariable } from '#contract/api/env-variable.ts'

export type Variable = Static<typeof getVariable.reply>

/** Where a variable is set: `production, preview`, `preview (branch dev)`. */
export const placeOf = ({
  target,
  gitBranch,
  customEnvironmentId,
}: Pick<Variable, 'target' | 'gitBranch' | 'customEnvironmentId'>): string => {
  const places = [...target, ...(customEnvironmentId === undefined ? [] : [customEnvironmentId])].join(', ')
  return gitBranch === undefined ? places : `${places} (branch ${gitBranch})`
}
