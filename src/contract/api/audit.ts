import { Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { PaginationSchema, pageQuery } from '../page.ts'
import { PERSONAL } from '../scopes.ts'
import { Time } from './shared.ts'

const Entry = Type.Object({
  id: Type.String(),
  at: Time,
  user: Type.Object({
    id: Type.String(),
    username: Type.Optional(Type.String()),
    email: Type.Optional(Type.String()),
  }),
  via: Type.Object({
    kind: Type.String({
      description: '`login`, `account` (a token), `session` (a browser) or `integration`',
    }),
    id: Type.String(),
    name: Type.String(),
  }),
  action: Type.String({ description: 'The endpoint: `PATCH /v9/projects/:idOrName`.' }),
  target: Type.Record(Type.String(), Type.String(), {
    description: 'Values of the path parameters, and names from the body.',
  }),
  member: Type.Optional(
    Type.Object(
      { id: Type.String(), username: Type.String(), email: Type.String() },
      { description: 'The person in `target.userId`, even after they left the team.' },
    ),
  ),
  ip: Type.String(),
  userAgent: Type.String(),
  requestId: Type.String(),
})

export const readAuditLog = endpoint({
  on: 'GET /v1/audit-log',
  summary: 'List changes in the account, newest first; in a team, OWNER only',
  access: PERSONAL,
  teamBySlug: true,
  query: Type.Object({
    ...pageQuery,
    userId: Type.Optional(Type.String({ maxLength: 100, description: 'Only changes made by this person.' })),
    action: Type.Optional(
      Type.String({
        maxLength: 200,
        description: 'Only actions that start with this, such as `DELETE /v9/projects`.',
      }),
    ),
  }),
  reply: Type.Object({ entries: Type.Array(Entry), pagination: PaginationSchema }),
})
