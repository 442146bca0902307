import { Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { PERSONAL } from '../scopes.ts'
import { Nullable, Time } from './shared.ts'

/** Hosts of repositories whose API is spoken; Forgejo speaks Gitea's. */
export const GIT_HOSTS = ['github', 'gitlab', 'gitea', 'bitbucket'] as const

/** Applications see none of it: what a token reads is more than the projects that they were given. */
const common = { teamBySlug: true, access: PERSONAL } as const

export const Connection = Type.Object({
  id: Type.String(),
  kind: Type.Enum(GIT_HOSTS),
  url: Type.String({ description: 'URL of the host, such as `https://github.com`.' }),
  login: Type.String({ description: 'The account at the host.' }),
  appId: Nullable(
    Type.String({ description: 'The GitHub App that it is an installation of; null if it uses a token.' }),
  ),
  createdBy: Type.String({ description: 'The user who connected it.' }),
  createdAt: Time,
  problem: Nullable(
    Type.String({ description: 'Why the host refused the token last time; null if it did not.' }),
  ),
})

export const createGitConnection = endpoint({
  ...common,
  on: 'POST /v1/git/connections',
  summary: 'Connect an account at a Git host with a token',
  description:
    'The token is checked with the host before it is stored. It is encrypted and never returned. Everyone in the account can deploy from the repositories that the token can read.',
  status: 201,
  body: Type.Object({
    kind: Type.Enum(GIT_HOSTS, { description: '`gitea` also for Forgejo.' }),
    url: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 500,
        description: 'URL of the host, if it is not github.com, gitlab.com or bitbucket.org.',
      }),
    ),
    token: Type.String({ minLength: 1, maxLength: 2000, pattern: '^[\\x21-\\x7e]+$' }),
    username: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          'Bitbucket: the email address or user name that goes with a personal token. Repository and workspace tokens need none.',
      }),
    ),
  }),
  reply: Connection,
})

export const listGitConnections = endpoint({
  ...common,
  on: 'GET /v1/git/connections',
  summary: 'List the connected Git hosts of the account',
  reply: Type.Object({ connections: Type.Array(Connection) }),
})

export const deleteGitConnection = endpoint({
  ...common,
  on: 'DELETE /v1/git/connections/:id',
  summary: 'Remove a connected Git host',
  status: 204,
  reply: 'empty',
})

export const listRepositories = endpoint({
  ...common,
  on: 'GET /v1/git/connections/:id/repositories',
  summary: 'List the repositories of a connected Git host, most recently changed first',
  slow: true,
  query: Type.Object({
    search: Type.Optional(
      Type.String({ maxLength: 200, description: 'Part of the name, or the full name.' }),
    ),
    page: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000 })),
  }),
  reply: Type.Object({
    repositories: Type.Array(
      Type.Object({
        id: Type.String({ description: 'Its id at the host.' }),
        name: Type.String({ description: '`owner/name`.' }),
        webUrl: Type.String(),
        defaultBranch: Nullable(Type.String()),
        private: Type.Boolean(),
        updatedAt: Nullable(Time),
      }),
    ),
    next: Nullable(Type.Integer({ description: 'The next page.' })),
  }),
})

export const inspectRepository = endpoint({
  ...common,
  on: 'POST /v1/git/inspect',
  summary: 'Inspect a repository before creating a project from it',
  description:
    'Takes a URL, or a name at a connected Git host. Returns its branches, and the folders that may contain a site or app with their frameworks. Nothing is stored.',
  slow: true,
  body: Type.Object({
    url: Type.Optional(Type.String({ minLength: 1, maxLength: 1000, description: 'An https URL.' })),
    token: Type.Optional(Type.String({ minLength: 1, maxLength: 1000 })),
    username: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    connectionId: Type.Optional(Type.String({ maxLength: 100 })),
    repository: Type.Optional(Type.String({ maxLength: 400, description: '`owner/name` at that host.' })),
    branch: Type.Optional(Type.String({ minLength: 1, maxLength: 250 })),
  }),
  reply: Type.Object({
    branch: Type.String({
      description: 'The requested branch, or the default branch.',
    }),
    branches: Type.Array(Type.String(), { description: 'At most 100.' }),
    commit: Type.String(),
    rootDirectory: Type.String({ description: 'The most likely of `folders`.' }),
    folders: Type.Array(
      Type.Object({
        path: Type.String({ description: 'Empty for the root of the repository, which comes first.' }),
        framework: Nullable(Type.Object({ slug: Nullable(Type.String()), name: Type.String() })),
        variables: Type.Array(Type.String(), { description: 'The variable names in its `.env.example`.' }),
      }),
    ),
  }),
  noStore: true,
})
