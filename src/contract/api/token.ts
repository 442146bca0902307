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
  summary: 'Create a token; its value is shown only once',
  access: PERSONAL,
  body: Type.Object({
    name: Type.String({ minLength: 1, maxLength: 256 }),
    expiresAt: Type.Optional(Time),
  }),
  reply: Type.Object({ token: Token, bearerToken: Type.String() }),
})

export const listTokens = endpoint({
  on: 'GET /v3/user/tokens',
  summary: 'List the tokens of the user, without their values',
  access: PERSONAL,
  query: Type.Object(pageQuery),
  reply: Type.Object({ tokens: Type.Array(Token), pagination: PaginationSchema }),
})

export const getToken = endpoint({
  on: 'GET /v3/user/tokens/:id',
  summary: 'Get a token; `current` is the one of the request',
  access: PERSONAL,
  reply: Type.Object({ token: Token }),
})

export const deleteToken = endpoint({
  on: 'DELETE /v3/user/tokens/:id',
  summary: 'Revoke a token; `current` is the one of the request',
  access: PERSONAL,
  reply: Type.Object({ tokenId: Type.String() }),
})
