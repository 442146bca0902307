import { Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { PERSONAL, PUBLIC } from '../scopes.ts'
import { Connection } from './git-connection.ts'
import { Nullable, Time } from './shared.ts'

/** Applications see none of it: what a GitHub App reads is more than the projects that they were given. */
const common = { teamBySlug: true, access: PERSONAL } as const

const App = Type.Object({
  id: Type.String(),
  url: Type.String({ description: 'URL of the host, such as `https://github.com`.' }),
  name: Nullable(Type.String({ description: 'Its name at the host; null until it is created there.' })),
  htmlUrl: Nullable(Type.String({ description: 'Its page at the host.' })),
  installUrl: Nullable(
    Type.String({ description: 'Where to install it to give it access to repositories.' }),
  ),
  createdBy: Type.String(),
  createdAt: Time,
  heardAt: Nullable(Time),
  refusedAt: Nullable(
    Type.Integer({
      minimum: 0,
      description: 'When a delivery was last refused because it was not signed with the App’s secret.',
    }),
  ),
})

export const createGitApp = endpoint({
  ...common,
  on: 'POST /v1/git/apps',
  summary: 'Start connecting GitHub with a GitHub App',
  description:
    'Open `startUrl` in a browser within an hour: it leads to GitHub, where the App is created with one click, and back to the dashboard, where the same person has to be signed in.',
  status: 201,
  noStore: true,
  body: Type.Object({
    url: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 500,
        description: 'URL of a GitHub Enterprise Server; defaults to github.com.',
      }),
    ),
    organization: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description:
          'The organization that the App belongs to; an App can read the repositories of its owner.',
      }),
    ),
  }),
  reply: Type.Object({ id: Type.String(), startUrl: Type.String() }),
})

export const startGitApp = endpoint({
  access: PUBLIC,
  on: 'GET /v1/git/apps/start/:state',
  summary: 'Redirect a browser to GitHub to create the App',
  page: true,
  reply: 'raw',
})

export const convertGitApp = endpoint({
  ...common,
  on: 'POST /v1/git/apps/:id/conversion',
  summary: 'Store the App that GitHub created',
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
  summary: 'Read the installations of an App from GitHub; each becomes a connected Git host',
  slow: true,
  reply: Type.Object({ connections: Type.Array(Connection) }),
})

export const listGitApps = endpoint({
  ...common,
  on: 'GET /v1/git/apps',
  summary: 'List the GitHub Apps of the account',
  reply: Type.Object({ apps: Type.Array(App) }),
})

export const deleteGitApp = endpoint({
  ...common,
  on: 'DELETE /v1/git/apps/:id',
  summary: 'Delete a GitHub App and its keys',
  description: 'Remove its connected Git hosts first. The App stays at GitHub until you delete it there.',
  status: 204,
  reply: 'empty',
})

export const callGitApp = endpoint({
  access: PUBLIC,
  on: 'POST /v1/git/apps/:id/called',
  summary: 'Receive webhook deliveries of a GitHub App',
  description:
    'One webhook for all repositories of the App. Deliveries that are not signed with its secret are refused.',
  body: 'raw',
  status: 202,
  reply: Type.Object({
    projects: Type.Integer({ description: 'Number of projects that the delivery affected.' }),
  }),
})
