type Meta = Readonly<Record<string, string>>

const first = (meta: Meta, ...keys: readonly string[]): string | undefined =>
  keys.map((key) => meta[key]).find((value) => value !== undefined && value !== '')

/** What whoever deployed said of where the files came from. */
export const sourceOf = (meta: Meta) => ({
  branch: first(meta, 'gitBranch', 'githubCommitRef', 'gitlabCommitRef', 'bitbucketCommitRef'),
  commit: first(meta, 'gitCommitSha', 'githubCommitSha', 'gitlabCommitSha', 'bitbucketCommitSha'),
  message: first(
    meta,
    'gitCommitMessage',
    'githubCommitMessage',
    'gitlabCommitMessage',
    'bitbucketCommitMessage',
  ),
  author: first(
    meta,
    'gitCommitAuthorName',
    'githubCommitAuthorName',
    'gitlabCommitAuthorName',
    'bitbucketCommitAuthorName',
  ),
  isDirty: meta.gitDirty === '1',
  /** Where the host shows the commit. Anybody may have written it: nothing but a page is linked to. */
  link: /^https?:\/\//.test(meta.gitCommitUrl ?? '') ? meta.gitCommitUrl : undefined,
})
