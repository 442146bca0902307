import { Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { PLANS } from '../limit/limits.ts'
import { needs } from '../scopes.ts'
import { Nullable, Time } from './shared.ts'

export const User = Type.Object({
  id: Type.String(),
  uid: Type.String(),
  email: Type.String(),
  username: Type.String(),
  name: Nullable(Type.String()),
  avatar: Nullable(Type.String()),
  createdAt: Time,
  plan: Type.Enum(PLANS),
  softBlocked: Type.Boolean(),
  operator: Type.Boolean(),
  // What other clients of this endpoint ask for. There is neither billing nor a trial here.
  billing: Type.Optional(Type.Null()),
  defaultTeamId: Type.Optional(Type.Null()),
  hasTrialAvailable: Type.Optional(Type.Boolean()),
  resourceConfig: Type.Optional(Type.Object({})),
  softBlock: Type.Optional(Type.Null()),
  stagingPrefix: Type.Optional(Type.String()),
  version: Type.Optional(Type.Null()),
})

export const getUser = endpoint({
  on: 'GET /v2/user',
  summary: 'Get the user of the token',
  access: needs('user'),
  reply: Type.Object({ user: User }),
})
