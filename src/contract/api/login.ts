import { Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { PUBLIC } from '../scopes.ts'

export const LOGIN_MODES = ['login', 'signup'] as const
export type LoginMode = (typeof LOGIN_MODES)[number]

export const register = endpoint({
  on: 'POST /platform/registration',
  gen: 'earliest',
  summary: 'Request a login; the user gets an email with a link to accept it',
  access: PUBLIC,
  limit: 'registration',
  query: Type.Object({
    mode: Type.Optional(
      Type.Enum(LOGIN_MODES, {
        description: 'With `login`, an unknown email address is refused instead of signed up.',
      }),
    ),
  }),
  body: Type.Object({
    email: Type.String({ minLength: 1, maxLength: 254 }),
    tokenName: Type.String({ minLength: 1, maxLength: 256 }),
  }),
  reply: Type.Object({ token: Type.String(), securityCode: Type.String() }),
})

export const verify = endpoint({
  on: 'GET /platform/registration/verify',
  gen: 'earliest',
  summary: 'Get the API token once the user has accepted the login',
  access: PUBLIC,
  limit: 'registration-verify',
  query: Type.Object({ email: Type.String({ maxLength: 254 }), token: Type.String({ maxLength: 256 }) }),
  reply: Type.Object({ token: Type.String(), email: Type.String(), teamId: Type.Null() }),
})

export const loginMethods = endpoint({
  on: 'GET /v1/login-methods',
  summary: 'Get the ways to accept a requested login',
  access: PUBLIC,
  reply: Type.Object({
    mail: Type.Boolean({
      description: 'False if there is no mail server: links are printed in the server’s terminal.',
    }),
    approveUrl: Type.String({ description: 'Where to accept a login in a signed-in browser.' }),
  }),
})

export const approvePage = endpoint({
  on: 'GET /login/approve',
  page: true,
  summary: 'Page to approve your own logins in a signed-in browser',
  access: PUBLIC,
  reply: 'raw',
})

export const approve = endpoint({
  on: 'POST /login/approve',
  page: true,
  summary: 'Approve your own login in a signed-in browser',
  access: PUBLIC,
  limit: 'registration-verify',
  form: true,
  bodyLimit: 64 * 1024,
  body: Type.Object({
    id: Type.String({ maxLength: 128 }),
    csrf: Type.Optional(Type.String({ maxLength: 128 })),
  }),
  reply: 'raw',
})

export const acceptPage = endpoint({
  on: 'GET /login/accept',
  page: true,
  summary: 'Page behind the link of a login email',
  access: PUBLIC,
  limit: 'registration-verify',
  query: Type.Object({ token: Type.Optional(Type.String({ maxLength: 256 })) }),
  reply: 'html',
})

export const accept = endpoint({
  on: 'POST /login/accept',
  page: true,
  summary: 'Accept a login',
  access: PUBLIC,
  limit: 'registration-verify',
  form: true,
  query: Type.Object({ token: Type.Optional(Type.String({ maxLength: 256 })) }),
  body: Type.Object({
    token: Type.Optional(Type.String({ maxLength: 256 })),
    code: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: 'The security code of another pending login with the same email.',
      }),
    ),
  }),
  reply: 'html',
})
