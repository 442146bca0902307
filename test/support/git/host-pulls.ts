import { HOST_WEBHOOKS } from './host-webhooks.ts'

export interface PullGiven {
  readonly action: 'open' | 'update' | 'reopen' | 'close'
  readonly number: number
  readonly branch: string
  readonly commit: string
  /** The path of the fork at the host, where it comes from one. */
  readonly fork?: string
}

interface HostPulls {
  /** The ref under which the host shows the commits of a pull request; none where it shows them in the fork alone. */
  readonly ref: (number: number) => string | undefined
  readonly payload: (given: PullGiven) => object
  readonly headers: (body: string, secret: string, id: string, given: PullGiven) => Record<string, string>
}

const headersOf = (host: string) => HOST_WEBHOOKS[host]?.headers ?? (() => ({}))

const GITHUB = { open: 'opened', update: 'synchronize', reopen: 'reopened', close: 'closed' } as const

/** As in the examples that GitHub publishes (`pull_request.opened` and its like), without what nobody reads. */
const github = (
  { action, number, branch, commit, fork }: PullGiven,
  actions: Readonly<Record<PullGiven['action'], string>>,
) => {
  const base = { id: 186853002, name: 'Hello-World', full_name: 'Codertocat/Hello-World', private: false }
  const head =
    fork === undefined ? base : { ...base, id: 186853999, full_name: fork, name: fork.split('/').at(-1) }
  return {
    action: actions[action],
    number,
    pull_request: {
      url: `https://api.github.com/repos/Codertocat/Hello-World/pulls/${number}`,
      id: 279147437,
      html_url: `https://github.com/Codertocat/Hello-World/pull/${number}`,
      number,
      state: action === 'close' ? 'closed' : 'open',
      locked: false,
      title: 'Update the README with new information.',
      user: { login: 'Codertocat', id: 21031067, type: 'User' },
      body: 'This is a pretty simple change that we need to pull into master.',
      merged: action === 'close',
      head: { label: `${head.full_name.split('/')[0]}:${branch}`, ref: branch, sha: commit, repo: head },
      base: {
        label: 'Codertocat:main',
        ref: 'main',
        sha: 'f95f852bd8fca8fcc58a9a2d6c842781e32a215e',
        repo: base,
      },
    },
    repository: base,
    sender: { login: 'Codertocat', id: 21031067, type: 'User' },
  }
}

/** A pull request as each host announces it: the shape that it publishes. */
export const HOST_PULLS: Readonly<Record<string, HostPulls>> = {
  GitHub: {
    ref: (number) => `refs/pull/${number}/head`,
    payload: (given) => github(given, GITHUB),
    headers: (body, secret, id) => ({
      ...headersOf('GitHub')(body, secret, id),
      'x-github-event': 'pull_request',
    }),
  },
  GitLab: {
    ref: (number) => `refs/merge-requests/${number}/head`,
    payload: ({ action, number, branch, commit, fork }) => ({
      object_kind: 'merge_request',
      event_type: 'merge_request',
      user: { id: 1, name: 'Administrator', username: 'root' },
      project: { id: 1, name: 'Gitlab Test', path_with_namespace: 'gitlabhq/gitlab-test' },
      object_attributes: {
        id: 99,
        iid: number,
        target_branch: 'main',
        source_branch: branch,
        source_project_id: fork === undefined ? 1 : 14,
        target_project_id: 1,
        author_id: 51,
        title: 'MS-Viewport',
        state: action === 'close' ? 'merged' : 'opened',
        url: `http://example.com/diaspora/merge_requests/${number}`,
        source: { name: 'Awesome Project', path_with_namespace: fork ?? 'gitlabhq/gitlab-test' },
        target: { name: 'Gitlab Test', path_with_namespace: 'gitlabhq/gitlab-test' },
        last_commit: { id: commit, message: 'fixed readme', author: { name: 'GitLab dev user' } },
        ...(action === 'update' ? { oldrev: 'da1560886d4f094c3e6c9ef40349f7d38b5d27d7' } : {}),
        action: action === 'close' ? 'merge' : action,
      },
    }),
    headers: (body, secret, id) => ({
      ...headersOf('GitLab')(body, secret, id),
      'x-gitlab-event': 'Merge Request Hook',
    }),
  },
  Gitea: {
    ref: (number) => `refs/pull/${number}/head`,
    payload: (given) => github(given, { ...GITHUB, update: 'synchronized' }),
    headers: (body, secret, id, { action }) => ({
      ...headersOf('Gitea')(body, secret, id),
      'x-gitea-event': 'pull_request',
      'x-gitea-event-type': action === 'update' ? 'pull_request_sync' : 'pull_request',
      'x-github-event': 'pull_request',
    }),
  },
  Bitbucket: {
    ref: () => undefined,
    payload: ({ action, number, branch, commit, fork }) => ({
      actor: { type: 'user', nickname: 'emmap1' },
      repository: { type: 'repository', full_name: 'team_name/repo_name' },
      pullrequest: {
        id: number,
        title: 'Title of pull request',
        state: action === 'close' ? 'MERGED' : 'OPEN',
        author: { type: 'user', nickname: 'emmap1' },
        source: {
          branch: { name: branch },
          // Only the beginning of it is told.
          commit: { hash: commit.slice(0, 12) },
          repository: { type: 'repository', full_name: fork ?? 'team_name/repo_name' },
        },
        destination: {
          branch: { name: 'main' },
          commit: { hash: 'ce5965ddd289' },
          repository: { type: 'repository', full_name: 'team_name/repo_name' },
        },
        links: { html: { href: `https://bitbucket.org/team_name/repo_name/pull-requests/${number}` } },
      },
    }),
    headers: (body, secret, id, { action }) => ({
      ...headersOf('Bitbucket')(body, secret, id),
      'x-event-key': `pullrequest:${action === 'open' ? 'created' : action === 'close' ? 'fulfilled' : 'updated'}`,
    }),
  },
}
