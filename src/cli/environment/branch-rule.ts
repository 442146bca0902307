import type { Static } from 'typebox'
import type { getEnvironment } from '#contract/api/custom-environment.ts'

type Matcher = NonNullable<Static<typeof getEnvironment.reply>['branchMatcher']>

export const BRANCH_RULE = 'a branch, or a pattern such as `release/*` or `*-rc`'

/** `main`, `release/*` or `*-rc`. */
export function readBranchRule(text: string): Matcher {
  if (text.endsWith('*')) return { type: 'startsWith', pattern: text.slice(0, -1) }
  if (text.startsWith('*')) return { type: 'endsWith', pattern: text.slice(1) }
  return { type: 'equals', pattern: text }
}
