import { Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { PaginationSchema, pageQuery } from '../page.ts'
import { PERSONAL, SCOPES } from '../scopes.ts'
import { Nullable, Time } from './shared.ts'

const common = { teamBySlug: true, access: PERSONAL, bodyLimit: 64 * 1024 } as const

const Permission = Type.Unsafe<'read' | 'read-write'>({ type: 'string', enum: ['read', 'read-write'] })
const Scopes = Type.Partial(
  Type.Object(
    Object.fromEntries(SCOPES.map((scope) => [scope, Permission])) as Record<
      (typeof SCOPES)[number],
      typeof Permission
    >,
  ),
  { additionalProperties: false, description: 'The scopes it requests, for example `{"project": "read"}`.' },
)

const request = {
  name: Type.String({ minLength: 1, maxLength: 64 }),
  slug: Type.Optional(
    Type.String({ minLength: 1, maxLength: 64, description: 'Unique; derived from the name by default.' }),
  ),
  redirectUrl: Type.String({
    minLength: 1,
    maxLength: 2048,
    description: 'Where people are redirected to; no other URL is accepted.',
  }),
  webhookUrl: Type.Optional(
    Nullable(Type.String({ minLength: 1, maxLength: 2048, description: 'Where events are sent.' })),
  ),
  scopes: Scopes,
  note: Type.Optional(
    Nullable(Type.String({ maxLength: 500, description: 'Shown to people who are asked for approval.' })),
  ),
}

const fields = {
  id: Type.String(),
  clientId: Type.String(),
  ownerId: Type.String(),
  creatorId: Type.String(),
  name: Type.String(),
  slug: Type.String(),
  redirectUrl: Type.String(),
  webhookUrl: Nullable(Type.String()),
  scopes: Scopes,
  note: Nullable(Type.String()),
  createdAt: Time,
  updatedAt: Time,
}
const Application = Type.Object(fields)
const WithSecret = Type.Object({ ...fields, clientSecret: Type.String() })

export const createApplication = endpoint({
  ...common,
  on: 'POST /v1/integrations/applications',
  summary: 'Register an application that accounts can install; its secret is shown only once',
  noStore: true,
  body: Type.Object(request),
  reply: WithSecret,
})

export const listApplications = endpoint({
  ...common,
  on: 'GET /v1/integrations/applications',
  summary: 'List the applications that the account has registered',
  query: Type.Object(pageQuery),
  reply: Type.Object({ applications: Type.Array(Application), pagination: PaginationSchema }),
})

export const getApplication = endpoint({
  ...common,
  on: 'GET /v1/integrations/applications/:id',
  summary: 'Get an application',
  reply: Application,
})

export const updateApplication = endpoint({
  ...common,
  on: 'PATCH /v1/integrations/applications/:id',
  summary: 'Change an application; accounts that installed it must approve additional scopes',
  body: Type.Partial(Type.Object(request)),
  reply: Application,
})

export const deleteApplication = endpoint({
  ...common,
  on: 'DELETE /v1/integrations/applications/:id',
  summary: 'Remove an application from all accounts that installed it',
  status: 204,
  reply: 'empty',
})

export const rotateSecret = endpoint({
  ...common,
  on: 'POST /v1/integrations/applications/:id/secret',
  summary: 'Replace the secret of an application; the old one stops working immediately',
  noStore: true,
  reply: WithSecret,
})
