import { Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { PLANS } from '../limits.ts'
import { OPERATOR, PUBLIC } from '../scopes.ts'

const Account = Type.Object({
  id: Type.String(),
  kind: Type.Enum(['user', 'team'] as const),
  slug: Type.String(),
  email: Type.Optional(Type.String()),
  plan: Type.Enum(PLANS),
  softBlocked: Type.Boolean(),
})

export const getAccount = endpoint({
  on: 'GET /v1/operator/accounts/:idOrEmailOrSlug',
  gen: 'current',
  summary: 'Look up an account by id, e-mail address or slug',
  access: OPERATOR,
  limit: 'read',
  reply: Account,
})

export const updateAccount = endpoint({
  on: 'PATCH /v1/operator/accounts/:idOrEmailOrSlug',
  gen: 'current',
  summary: 'Change the plan of an account, or block and unblock its writes',
  access: OPERATOR,
  limit: 'write',
  body: Type.Object({ plan: Type.Optional(Type.Enum(PLANS)), softBlocked: Type.Optional(Type.Boolean()) }),
  reply: Account,
})

export const listJobs = endpoint({
  on: 'GET /v1/operator/jobs',
  gen: 'current',
  summary: 'The jobs that can be run now, and how the queue stands',
  access: OPERATOR,
  limit: 'read',
  reply: Type.Object({
    jobs: Type.Array(Type.Object({ name: Type.String(), summary: Type.String() })),
    queue: Type.Object({ queued: Type.Integer(), running: Type.Integer(), failed: Type.Integer() }),
  }),
})

export const runJob = endpoint({
  on: 'POST /v1/operator/jobs/:name/run',
  gen: 'current',
  summary: 'Run a recurring job now, instead of waiting for its time',
  access: OPERATOR,
  limit: 'write',
  reply: Type.Object({ name: Type.String(), jobId: Type.String(), state: Type.String() }),
})

export const setupPage = endpoint({
  on: 'GET /setup',
  gen: 'current',
  page: true,
  summary: 'The page behind the one-time set-up link',
  access: PUBLIC,
  limit: 'registration-verify',
  query: Type.Object({ token: Type.Optional(Type.String({ maxLength: 256 })) }),
  reply: 'html',
})

export const setUp = endpoint({
  on: 'POST /setup',
  gen: 'current',
  page: true,
  summary: 'Create the operator account with the one-time set-up link',
  access: PUBLIC,
  limit: 'registration-verify',
  form: true,
  query: Type.Object({ token: Type.Optional(Type.String({ maxLength: 256 })) }),
  body: Type.Object({
    token: Type.Optional(Type.String({ maxLength: 256 })),
    email: Type.String({ minLength: 1, maxLength: 254 }),
  }),
  reply: 'html',
})
