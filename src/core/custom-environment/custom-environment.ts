import type { BranchMatch } from '#contract/api/custom-environment.ts'

/** A place of a project's own for deployments, beside production and previews: `staging`, `qa`. */
export interface CustomEnvironment {
  readonly id: string
  /** What people call it; no other one of the project has the same. */
  readonly slug: string
  readonly description: string | null
  /** Pushes of these branches are deployed to it. */
  readonly branchMatcher: BranchMatcher | null
  readonly createdAt: number
  readonly updatedAt: number
}

export interface BranchMatcher {
  readonly type: BranchMatch
  readonly pattern: string
}

/** What a deployment keeps of the environment it was made for, as that was called then. */
export type EnvironmentOfDeployment = Pick<CustomEnvironment, 'id' | 'slug'>

const ID = /^env_[0-9A-Za-z]{1,60}$/

/** Whether a word among the targets of a variable is the id of an environment. */
export const isEnvironmentId = (text: string): boolean => ID.test(text)

export const findEnvironment = (
  environments: readonly CustomEnvironment[],
  slugOrId: string,
): CustomEnvironment | undefined => environments.find(({ id, slug }) => id === slugOrId || slug === slugOrId)

function matches({ type, pattern }: BranchMatcher, branch: string): boolean {
  if (type === 'equals') return branch === pattern
  return type === 'startsWith' ? branch.startsWith(pattern) : branch.endsWith(pattern)
}

/** A whole name says more than a part of one, and a longer part more than a shorter one. */
const exactness = ({ type, pattern }: BranchMatcher): number =>
  type === 'equals' ? Number.POSITIVE_INFINITY : pattern.length

/** Where a push of a branch goes. Of several that it matches, to the one that says most; of equals, to the oldest. */
export const environmentOfBranch = (
  environments: readonly CustomEnvironment[],
  branch: string,
): CustomEnvironment | undefined =>
  environments
    .flatMap((environment) => {
      const { branchMatcher } = environment
      return branchMatcher && matches(branchMatcher, branch)
        ? [{ environment, says: exactness(branchMatcher) }]
        : []
    })
    .reduce<{ environment: CustomEnvironment; says: number } | undefined>(
      (best, next) => (best && best.says >= next.says ? best : next),
      undefined,
    )?.environment
