import { Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { PERSONAL } from '../scopes.ts'
import { Nullable, Time } from './shared.ts'

/** Hosts of repositories whose API is spoken; Forgejo speaks Gitea's. */
const HOSTS = ['github', 'gitlab', 'gitea', 'bitbucket'] as const

/** Applications see none of it: what a token reads is more than the projects that they were given. */
const common = { gen: 'current', teamBySlug: true, access: PERSONAL } as const

export const Connection = Type.Object({
  id: Type.String(),
  kind: Type.Enum(HOSTS),
  url: Type.String({ description: 'Where the host is, such as `https://github.com`.' }),
  login: Type.String({ description: 'Whose account at the host it is.' }),
  appId: Nullable(
    Type.String({ description: 'The GitHub App that it is an installation of; null where it has a token.' }),
  ),
  createdBy: Type.String({ description: 'The user who connected it.' }),
  createdAt: Time,
  problem: Nullable(
    Type.String({ description: 'Why the host refused the token the last time; null where it did not.' }),
  ),
})

export const createGitConnection = endpoint({
  ...common,
  on: 'POST /v1/git/connections',
  summary: 'Connect an account at a Git host by a token',
  description:
    'The host is asked whose token it is before anything is stored. The token is encrypted and never returned. Everybody who can act for the account can deploy from the repositories that the token reads.',
  limit: 'write',
  status: 201,
  body: Type.Object({
    kind: Type.Enum(HOSTS, { description: '`gitea` also for Forgejo.' }),
    url: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 500,
        description: 'Where the host is, unless it is github.com, gitlab.com or bitbucket.org.',
      }),
    ),
    token: Type.String({ minLength: 1, maxLength: 2000, pattern: '^[\\x21-\\x7e]+$' }),
    username: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          'On Bitbucket, what goes with a token of a person: their email address or user name. Tokens of repositories and workspaces have none.',
      }),
    ),
  }),
  reply: Connection,
})

export const listGitConnections = endpoint({
  ...common,
  on: 'GET /v1/git/connections',
  summary: 'List the connected Git hosts of the account',
  limit: 'read',
  reply: Type.Object({ connections: Type.Array(Connection) }),
})

export const deleteGitConnection = endpoint({
  ...common,
  on: 'DELETE /v1/git/connections/:id',
  summary: 'Remove a connected Git host',
  limit: 'write',
  status: 204,
  reply: 'empty',
})

export const listRepositories = endpoint({
  ...common,
  on: 'GET /v1/git/connections/:id/repositories',
  summary: 'List the repositories that a connected Git host shows, the latest changed first',
  limit: 'read',
  slow: true,
  query: Type.Object({
    search: Type.Optional(Type.String({ maxLength: 200, description: 'Text in the name, or a whole name.' })),
    page: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000 })),
  }),
  reply: Type.Object({
    repositories: Type.Array(
      Type.Object({
        id: Type.String({ description: 'By which the host tells it apart.' }),
        name: Type.String({ description: '`owner/name`.' }),
        webUrl: Type.String(),
        defaultBranch: Nullable(Type.String()),
        private: Type.Boolean(),
        updatedAt: Nullable(Time),
      }),
    ),
    next: Nullable(Type.Integer({ description: 'The page to go on with.' })),
  }),
})

export const inspectRepository = endpoint({
  ...common,
  on: 'POST /v1/git/inspect',
  summary: 'Tell what a repository elsewhere holds before a project is made from it',
  description:
    'Named by its address, or by its name at a connected Git host. Tells its branches, and the folders that a site or a program could be in with the framework that each is written for. Nothing is stored.',
  limit: 'write',
  slow: true,
  body: Type.Object({
    url: Type.Optional(Type.String({ minLength: 1, maxLength: 1000, description: 'By https.' })),
    token: Type.Optional(Type.String({ minLength: 1, maxLength: 1000 })),
    username: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    connectionId: Type.Optional(Type.String({ maxLength: 100 })),
    repository: Type.Optional(Type.String({ maxLength: 400, description: '`owner/name` at that host.' })),
    branch: Type.Optional(Type.String({ minLength: 1, maxLength: 250 })),
  }),
  reply: Type.Object({
    branch: Type.String({
      description: 'The one that was asked for, else the one that a clone begins with.',
    }),
    branches: Type.Array(Type.String(), { description: 'At most a hundred.' }),
    commit: Type.String(),
    rootDirectory: Type.String({ description: 'The likeliest of `folders`.' }),
    folders: Type.Array(
      Type.Object({
        path: Type.String({ description: 'Empty for the whole repository, which is the first.' }),
        framework: Nullable(Type.Object({ slug: Nullable(Type.String()), name: Type.String() })),
        variables: Type.Array(Type.String(), { description: 'The names in its `.env.example`.' }),
      }),
    ),
  }),
  noStore: true,
})
