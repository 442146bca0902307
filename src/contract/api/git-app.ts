import { Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { PERSONAL, PUBLIC } from '../scopes.ts'
import { Connection } from './git-connection.ts'
import { Nullable, Time } from './shared.ts'

/** Applications see none of it: what a GitHub App reads is more than the projects that they were given. */
const common = { gen: 'current', teamBySlug: true, access: PERSONAL } as const

const App = Type.Object({
  id: Type.String(),
  url: Type.String({ description: 'Where the host is, such as `https://github.com`.' }),
  name: Nullable(Type.String({ description: 'What it is called there; null until the host has made it.' })),
  htmlUrl: Nullable(Type.String({ description: 'Its page at the host.' })),
  installUrl: Nullable(Type.String({ description: 'Where it is installed, which shows it repositories.' })),
  createdBy: Type.String(),
  createdAt: Time,
  heardAt: Nullable(Time),
  refusedAt: Nullable(
    Type.Integer({
      minimum: 0,
      description: 'When a delivery was refused because it was not signed with the secret of the App.',
    }),
  ),
})

export const createGitApp = endpoint({
  ...common,
  on: 'POST /v1/git/apps',
  summary: 'Begin to connect GitHub by an App of its own',
  description:
    'Open `startUrl` in a browser within an hour: it leads to GitHub, where the App is made with one click, and from there back to the dashboard, which has to be signed in as whoever began.',
  limit: 'write',
  status: 201,
  noStore: true,
  body: Type.Object({
    url: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 500,
        description: 'Where the host is, unless it is github.com: a GitHub Enterprise Server.',
      }),
    ),
    organization: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: 'Whose App it is to be: an App reads the repositories of whoever it belongs to.',
      }),
    ),
  }),
  reply: Type.Object({ id: Type.String(), startUrl: Type.String() }),
})

export const startGitApp = endpoint({
  gen: 'current',
  access: PUBLIC,
  on: 'GET /v1/git/apps/start/:state',
  summary: 'Lead a browser to GitHub, where the App is made',
  limit: 'read',
  page: true,
  reply: 'raw',
})

export const convertGitApp = endpoint({
  ...common,
  on: 'POST /v1/git/apps/:id/conversion',
  summary: 'Take over the App that GitHub made',
  limit: 'write',
  slow: true,
  body: Type.Object({
    code: Type.String({ minLength: 1, maxLength: 200 }),
    state: Type.String({ minLength: 1, maxLength: 200 }),
  }),
  reply: App,
})

export const refreshGitApp = endpoint({
  ...common,
  on: 'POST /v1/git/apps/:id/installations',
  summary: 'Ask GitHub where an App is installed: each place becomes a connected Git host',
  limit: 'write',
  slow: true,
  reply: Type.Object({ connections: Type.Array(Connection) }),
})

export const listGitApps = endpoint({
  ...common,
  on: 'GET /v1/git/apps',
  summary: 'List the GitHub Apps of the account',
  limit: 'read',
  reply: Type.Object({ apps: Type.Array(App) }),
})

export const deleteGitApp = endpoint({
  ...common,
  on: 'DELETE /v1/git/apps/:id',
  summary: 'Forget a GitHub App and its keys',
  description:
    'Its connected Git hosts have to be removed first. At GitHub it stays until it is deleted there.',
  limit: 'write',
  status: 204,
  reply: 'empty',
})

export const callGitApp = endpoint({
  gen: 'current',
  access: PUBLIC,
  on: 'POST /v1/git/apps/:id/called',
  summary: 'Tell what happened in a repository of a GitHub App',
  description:
    'For the webhook of the App, one for all its repositories. What is not signed with its secret is refused.',
  limit: 'write',
  body: 'raw',
  status: 202,
  reply: Type.Object({
    projects: Type.Integer({ description: 'In how many projects it led to something.' }),
  }),
})
