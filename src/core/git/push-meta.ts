import type { GitCommit } from './git-repositories.ts'
import { PUSH_META, type Push } from './push.ts'

const MAX_MESSAGE = 2000

/** What is remembered of a commit with its deployment: `VERCEL_GIT_…` and pages come from it. */
export function metaOf(
  push: Pick<Push, 'id' | 'fork'>,
  {
    branch,
    commit,
    repository,
  }: {
    readonly branch: string
    readonly commit: GitCommit
    readonly repository: Readonly<Record<string, string>>
  },
): Record<string, string> {
  return {
    ...repository,
    gitBranch: branch,
    gitCommitRef: branch,
    gitCommitSha: commit.oid,
    gitCommitMessage: commit.message.slice(0, MAX_MESSAGE),
    gitCommitAuthorName: commit.author,
    gitDirty: '0',
    [PUSH_META]: push.id,
  }
}
