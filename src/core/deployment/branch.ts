/** Under which of these clients say what branch was deployed; the first that is there counts. */
export const BRANCH_KEYS = ['gitBranch', 'githubCommitRef', 'gitlabCommitRef', 'bitbucketCommitRef'] as const

export const branchOf = (meta: Readonly<Record<string, string>>): string | undefined =>
  BRANCH_KEYS.map((key) => meta[key]).find((branch) => branch !== undefined && branch !== '')
