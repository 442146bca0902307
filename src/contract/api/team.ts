import { Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { PaginationSchema, pageQuery } from '../page.ts'
import { needs, PERSONAL } from '../scopes.ts'
import { Id, IsoTime, Nullable } from './shared.ts'

export const ROLES = ['OWNER', 'MEMBER'] as const
export type Role = (typeof ROLES)[number]

const RoleSchema = Type.Enum(ROLES)

const Team = Type.Object({
  id: Type.String(),
  slug: Type.String(),
  name: Type.String(),
  creatorId: Type.String(),
  created: IsoTime,
  avatar: Nullable(Type.String()),
  membersMayEditProduction: Type.Boolean({
    description: 'Whether a MEMBER can change production variables.',
  }),
})

const Member = Type.Object({
  uid: Type.String(),
  role: RoleSchema,
  email: Type.String(),
  username: Type.String(),
})

const TeamList = Type.Object({ teams: Type.Array(Team), pagination: PaginationSchema })

const CreateBody = Type.Object({
  slug: Type.String({ minLength: 1, maxLength: 48 }),
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
})

const ListQuery = Type.Object({
  slug: Type.Optional(Type.String({ description: 'Returns the team with this slug instead of a list.' })),
  ...pageQuery,
})

const UpdateBody = Type.Object({
  slug: Type.Optional(Type.String({ minLength: 1, maxLength: 48 })),
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
  membersMayEditProduction: Type.Optional(
    Type.Boolean({ description: 'Whether a MEMBER can change production variables.' }),
  ),
})

const Updated = Type.Object({
  id: Type.String(),
  slug: Type.String(),
  name: Type.String(),
  creator_id: Type.String(),
  creatorId: Type.String(),
})

const InviteBody = Type.Object({
  email: Type.String({ minLength: 1, maxLength: 254 }),
  role: Type.Optional(RoleSchema),
})

const Invited = Type.Object({ uid: Type.String(), username: Type.String() })

const RoleBody = Type.Object({ role: RoleSchema })

export const createTeam = endpoint({
  on: 'POST /v1/teams',
  summary: 'Create a team; the caller becomes its OWNER',
  access: PERSONAL,
  body: CreateBody,
  reply: Id,
})

export const listTeams = endpoint({
  on: 'GET /v1/teams',
  summary: 'List the teams of the caller, or get one by its slug',
  access: needs('team'),
  query: ListQuery,
  reply: Type.Union([TeamList, Team]),
})

export const getTeam = endpoint({
  on: 'GET /v1/teams/:id',
  summary: 'Get a team',
  access: needs('team'),
  reply: Team,
})

export const updateTeam = endpoint({
  on: 'PATCH /v1/teams/:id',
  summary: 'Change the slug or the name of a team; OWNER only',
  access: PERSONAL,
  body: UpdateBody,
  reply: Updated,
})

export const listMembers = endpoint({
  on: 'GET /v1/teams/:id/members',
  summary: 'List the members of a team',
  access: needs('team'),
  reply: Type.Array(Member),
})

export const inviteMember = endpoint({
  on: 'POST /v1/teams/:id/members',
  summary: 'Add a user to a team by email address; OWNER only',
  access: PERSONAL,
  body: InviteBody,
  reply: Invited,
})

export const changeRole = endpoint({
  on: 'PATCH /v1/teams/:id/members/:userId',
  summary: 'Change the role of a member; OWNER only',
  access: PERSONAL,
  body: RoleBody,
  reply: 'empty',
})

export const removeMember = endpoint({
  on: 'DELETE /v1/teams/:id/members/:userId',
  summary: 'Remove a member who is not an OWNER; OWNER only',
  access: PERSONAL,
  reply: Id,
})

/** The earliest paths have the same shapes, without the version. */
export const earliest = {
  createTeam: endpoint({ ...createTeam, gen: 'earliest', on: 'POST /teams' }),
  listTeams: endpoint({ ...listTeams, gen: 'earliest', on: 'GET /teams' }),
  getTeam: endpoint({ ...getTeam, gen: 'earliest', on: 'GET /teams/:id' }),
  updateTeam: endpoint({ ...updateTeam, gen: 'earliest', on: 'PATCH /teams/:id' }),
  listMembers: endpoint({ ...listMembers, gen: 'earliest', on: 'GET /teams/:id/members' }),
  inviteMember: endpoint({ ...inviteMember, gen: 'earliest', on: 'POST /teams/:id/members' }),
  changeRole: endpoint({ ...changeRole, gen: 'earliest', on: 'PATCH /teams/:id/members/:userId' }),
  removeMember: endpoint({ ...removeMember, gen: 'earliest', on: 'DELETE /teams/:id/members/:userId' }),
}
