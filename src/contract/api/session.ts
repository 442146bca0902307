import { Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { PERSONAL, PUBLIC } from '../scopes.ts'
import { Time } from './shared.ts'

/** An address within a page's own, to go on to. */
const next = Type.Optional(Type.String({ maxLength: 8192 }))
const csrf = Type.Optional(Type.String({ maxLength: 128 }))

export const loginPage = endpoint({
  on: 'GET /login',
  page: true,
  summary: 'Sign-in page',
  access: PUBLIC,
  query: Type.Object({
    next,
    anyway: Type.Optional(
      Type.String({ maxLength: 10, description: 'Even before the installation is set up.' }),
    ),
  }),
  reply: 'raw',
})

export const logIn = endpoint({
  on: 'POST /login',
  page: true,
  summary: 'Request to sign in with a browser; sends an email',
  access: PUBLIC,
  limit: 'registration',
  form: true,
  bodyLimit: 64 * 1024,
  body: Type.Object({ email: Type.String({ maxLength: 254 }), csrf, next }),
  reply: 'raw',
})

export const waitPage = endpoint({
  on: 'GET /login/wait',
  page: true,
  summary: 'Page that waits for the link in the email to be opened, then signs in',
  access: PUBLIC,
  query: Type.Object({ next }),
  reply: 'raw',
})

export const logoutPage = endpoint({
  on: 'GET /logout',
  page: true,
  summary: 'Sign-out page',
  access: PUBLIC,
  reply: 'raw',
})

export const logOut = endpoint({
  on: 'POST /logout',
  page: true,
  summary: 'Sign out',
  access: PUBLIC,
  form: true,
  bodyLimit: 64 * 1024,
  body: Type.Object({ csrf, next }),
  reply: 'raw',
})

export const sso = endpoint({
  on: 'GET /sso',
  page: true,
  summary: 'Give a signed-in user access to a protected site',
  access: PUBLIC,
  query: Type.Object({ url: Type.Optional(Type.String({ maxLength: 4096 })) }),
  reply: 'raw',
})

const Session = Type.Object({
  id: Type.String(),
  current: Type.Boolean({ description: 'Whether it is the session of this request.' }),
  userAgent: Type.String(),
  ip: Type.String(),
  createdAt: Time,
  activeAt: Time,
  expiresAt: Time,
})

export const listSessions = endpoint({
  on: 'GET /v1/user/sessions',
  summary: 'List the browser sessions of the user',
  access: PERSONAL,
  reply: Type.Object({ sessions: Type.Array(Session) }),
})

export const getSession = endpoint({
  on: 'GET /v1/user/session',
  summary: 'Get the current browser session, and the value that changes must send as `x-aloft-csrf`',
  access: PERSONAL,
  noStore: true,
  reply: Type.Object({ session: Session, csrf: Type.String() }),
})

export const deleteSession = endpoint({
  on: 'DELETE /v1/user/sessions/:id',
  summary: 'End a browser session; `current` is the one of the request',
  access: PERSONAL,
  reply: Type.Object({ id: Type.String() }),
})

export const deleteOtherSessions = endpoint({
  on: 'DELETE /v1/user/sessions',
  summary: 'End all browser sessions except the one of the request',
  access: PERSONAL,
  reply: Type.Object({ ended: Type.Integer() }),
})
