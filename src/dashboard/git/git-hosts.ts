/** What whoever connects a Git host has to know of each kind. */
export const GIT_HOSTS = {
  github: {
    label: 'GitHub',
    url: 'https://github.com',
    token: 'A fine-grained or classic personal access token.',
    scopes:
      'Contents: read. Webhooks, Commit statuses, Pull requests and Deployments: write. For a classic token: repo.',
  },
  gitlab: {
    label: 'GitLab',
    url: 'https://gitlab.com',
    token: 'A personal, group or project access token.',
    scopes: 'api',
  },
  gitea: {
    label: 'Gitea, Forgejo or Codeberg',
    url: '',
    token: 'An access token, from Settings, Applications.',
    scopes: 'read:user, write:repository and write:issue',
  },
  bitbucket: {
    label: 'Bitbucket Cloud',
    url: 'https://bitbucket.org',
    token: 'An API token with your Atlassian email address, or an access token of a workspace or repository.',
    scopes: 'Account: read. Repositories: read. Pull requests: write. Webhooks: write.',
  },
} as const

export type GitHostKind = keyof typeof GIT_HOSTS

/** Such as `octocat at github.com`. */
export const connectionName = ({ login, url }: { readonly login: string; readonly url: string }): string =>
  `${login} at ${new URL(url).host}`
