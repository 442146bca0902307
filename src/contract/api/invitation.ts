import { Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { PERSONAL, PUBLIC } from '../scopes.ts'
import { Id, Time } from './shared.ts'
import { ROLES } from './team.ts'

const RoleSchema = Type.Enum(ROLES)

const Invitation = Type.Object({
  id: Type.String(),
  email: Type.String(),
  role: RoleSchema,
  createdAt: Time,
  expiresAt: Time,
})

export const createInvitation = endpoint({
  access: PERSONAL,
  on: 'POST /v1/teams/:id/invitations',
  summary: 'Invite someone to a team by email, with or without an account; OWNER only',
  body: Type.Object({
    email: Type.String({ minLength: 1, maxLength: 254 }),
    role: Type.Optional(RoleSchema),
  }),
  reply: Invitation,
})

export const listInvitations = endpoint({
  access: PERSONAL,
  on: 'GET /v1/teams/:id/invitations',
  summary: 'List pending invitations; OWNER only',
  reply: Type.Object({ invitations: Type.Array(Invitation) }),
})

export const revokeInvitation = endpoint({
  access: PERSONAL,
  on: 'DELETE /v1/teams/:id/invitations/:invitationId',
  summary: 'Withdraw an invitation; its link stops working; OWNER only',
  reply: Id,
})

export const invitationPage = endpoint({
  on: 'GET /invitation',
  page: true,
  summary: 'The page behind the link of an invitation',
  access: PUBLIC,
  limit: 'registration-verify',
  query: Type.Object({ token: Type.Optional(Type.String({ maxLength: 256 })) }),
  reply: 'raw',
})

export const acceptInvitation = endpoint({
  on: 'POST /invitation',
  page: true,
  summary: 'Accept an invitation',
  access: PUBLIC,
  limit: 'registration-verify',
  form: true,
  bodyLimit: 64 * 1024,
  body: Type.Object({ token: Type.Optional(Type.String({ maxLength: 256 })) }),
  reply: 'raw',
})
