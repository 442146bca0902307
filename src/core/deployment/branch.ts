import { AloftError } from '#contract/errors.ts'

/** Under which of these clients say what branch was deployed; the first that is there counts. */
export const BRANCH_KEYS = ['gitBranch', 'githubCommitRef', 'gitlabCommitRef', 'bitbucketCommitRef'] as const

export const branchOf = (meta: Readonly<Record<string, string>>): string | undefined =>
  BRANCH_KEYS.map((key) => meta[key]).find((branch) => branch !== undefined && branch !== '')

/** Under which it is said that the code came from somebody else's copy of the repository. */
export const FORK_META = 'gitFork'

/** Whether strangers wrote the code: then it is given no variables, no cache of anybody else, and never goes live. */
export const isFromFork = (meta: Readonly<Record<string, string>>): boolean => meta[FORK_META] === '1'

/** Throws for what came from a fork and would be shown to visitors of production. */
export function forkIsNoProduction(meta: Readonly<Record<string, string>>): void {
  if (isFromFork(meta))
    throw new AloftError(
      'forbidden',
      'Deployments from a fork never go to production. Merge the pull request; its branch is then deployed.',
    )
}
