import { Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { PaginationSchema, pageQuery } from '../page.ts'
import { PERSONAL } from '../scopes.ts'
import { Time } from './shared.ts'

const Token = Type.Object({
  id: Type.String(),
  name: Type.String(),
  type: Type.String({ description: '`login`, `account` or `oauth2`' }),
  createdAt: Time,
  activeAt: Time,
  expiresAt: Type.Optional(Time),
})

export const createToken = endpoint({
  on: 'POST /v3/user/tokens',
  gen: 'current',
  summary: 'Create a token; its value is shown only once',
  access: PERSONAL,
  limit: 'write',
  body: Type.Object({
    name: Type.String({ minLength: 1, maxLength: 256 }),
    expiresAt: Type.Optional(Time),
  }),
  reply: Type.Object({ token: Token, bearerToken: Type.String() }),
})

export const listTokens = endpoint({
  on: 'GET /v3/user/tokens',
  gen: 'current',
  summary: 'List the tokens of the user, without their values',
  access: PERSONAL,
  limit: 'read',
  query: Type.Object(pageQuery),
  reply: Type.Object({ tokens: Type.Array(Token), pagination: PaginationSchema }),
})

export const getToken = endpoint({
  on: 'GET /v3/user/tokens/:id',
  gen: 'current',
  summary: 'Get a token; `current` is the one of the request',
  access: PERSONAL,
  limit: 'read',
  reply: Type.Object({ token: Token }),
})

export const deleteToken = endpoint({
  on: 'DELETE /v3/user/tokens/:id',
  gen: 'current',
  summary: 'Revoke a token; `current` is the one of the request',
  access: PERSONAL,
  limit: 'write',
  reply: Type.Object({ tokenId: Type.String() }),
})
