import { Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { PLANS } from '../limits.ts'
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
})

export const getUser = endpoint({
  on: 'GET /v2/user',
  gen: 'current',
  summary: 'The user behind the token',
  access: needs('user'),
  limit: 'read',
  reply: Type.Object({ user: User }),
})
