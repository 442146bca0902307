import { Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { needs, PERSONAL } from '../scopes.ts'
import { Nullable, Time } from './shared.ts'

const own = { teamBySlug: true, access: needs('integration-configuration') } as const
const personal = {
  teamBySlug: true,
  access: PERSONAL,
  bodyLimit: 64 * 1024,
} as const

const Selection = Type.Unsafe<'all' | 'selected'>({ type: 'string', enum: ['all', 'selected'] })
const Scopes = Type.Array(Type.String(), { description: 'For example `read:project`.' })

const Configuration = Type.Object({
  id: Type.String(),
  integrationId: Type.String({ description: 'The id of the application.' }),
  slug: Type.String({ description: 'Of the application.' }),
  ownerId: Type.String(),
  userId: Type.String({ description: 'Who installed it.' }),
  teamId: Nullable(Type.String()),
  projectSelection: Selection,
  projects: Type.Array(Type.String()),
  scopes: Scopes,
  scopesQueue: Type.Optional(
    Type.Array(
      Type.Object({
        scopes: Type.Object({ added: Scopes, upgraded: Scopes }),
        note: Nullable(Type.String()),
        requestedAt: Time,
        confirmedAt: Type.Optional(Time),
      }),
      { description: 'Additional scopes that the application requests.' },
    ),
  ),
  source: Type.String(),
  type: Type.String(),
  installationType: Type.String(),
  createdAt: Time,
  updatedAt: Time,
  completedAt: Time,
  disabledAt: Type.Optional(Time),
  disabledReason: Type.Optional(Type.String()),
  deletedAt: Nullable(Time),
})

export const listConfigurations = endpoint({
  ...own,
  on: 'GET /v1/integrations/configurations',
  summary: 'List the applications installed in the account',
  query: Type.Object({
    view: Type.Optional(
      Type.Unsafe<'account' | 'project'>({
        type: 'string',
        enum: ['account', 'project'],
        description: 'Both return the same list; defaults to `account`.',
      }),
    ),
  }),
  reply: Type.Array(Configuration),
})

export const getConfiguration = endpoint({
  ...own,
  on: 'GET /v1/integrations/configuration/:id',
  summary: 'Get an application installed in the account',
  reply: Configuration,
})

export const deleteConfiguration = endpoint({
  ...own,
  on: 'DELETE /v1/integrations/configuration/:id',
  summary: 'Remove an application from the account, including its tokens, variables and log drains',
  status: 204,
  reply: 'empty',
})

export const updateConfiguration = endpoint({
  ...personal,
  on: 'PATCH /v1/integrations/configuration/:id',
  summary: 'Choose the projects that an application can access',
  body: Type.Object({
    projectSelection: Selection,
    projects: Type.Optional(Type.Array(Type.String({ maxLength: 100 }), { maxItems: 100 })),
  }),
  reply: Configuration,
})

export const transferConfiguration = endpoint({
  ...personal,
  on: 'POST /v1/integrations/configuration/:id/transfer',
  summary: 'Transfer an application to another OWNER of the team; this re-enables a disabled one',
  body: Type.Object({ userId: Type.String({ minLength: 1, maxLength: 100 }) }),
  reply: Configuration,
})

export const confirmScopes = endpoint({
  ...personal,
  on: 'POST /v1/integrations/configuration/:id/confirm-scopes',
  summary: 'Approve all additional scopes that an application requests',
  reply: Configuration,
})
