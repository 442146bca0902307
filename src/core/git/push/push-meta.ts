import { FORK_META } from '../../deployment/branch.ts'
import type { GitCommit } from '../git-repositories.ts'
import { PUSH_META, type Push } from './push.ts'

const MAX_MESSAGE = 2000

/** What is remembered of a commit with its deployment: `VERCEL_GIT_…` and pages come from it. */
export function metaOf(
  push: Pick<Push, 'id' | 'fork' | 'pull'>,
  {
    branch,
    commit,
    repository,
    url,
  }: {
    readonly branch: string
    readonly commit: GitCommit
    readonly repository: Readonly<Record<string, string>>
    /** Where its host shows the commit. */
    readonly url?: string | undefined
  },
): Record<string, string> {
  return {
    ...repository,
    ...hostMeta(repository.gitProvider, branch, commit),
    gitBranch: branch,
    gitCommitRef: branch,
    gitCommitSha: commit.oid,
    gitCommitMessage: commit.message.slice(0, MAX_MESSAGE),
    gitCommitAuthorName: commit.author,
    gitDirty: '0',
    ...(url === undefined ? {} : { gitCommitUrl: url }),
    ...(push.pull === null ? {} : { gitPullRequestId: String(push.pull.number) }),
    ...(push.fork ? { [FORK_META]: '1' } : {}),
    [PUSH_META]: push.id,
  }
}

/** The same in the words of a host, for programs that know only these. */
function hostMeta(provider: string | undefined, branch: string, commit: GitCommit): Record<string, string> {
  if (provider !== 'github' && provider !== 'gitlab' && provider !== 'bitbucket') return {}
  return {
    [`${provider}CommitSha`]: commit.oid,
    [`${provider}CommitRef`]: branch,
    [`${provider}CommitMessage`]: commit.message.slice(0, MAX_MESSAGE),
    [`${provider}CommitAuthorName`]: commit.author,
  }
}
