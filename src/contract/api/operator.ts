import { Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { PLANS } from '../limit/limits.ts'
import { PaginationSchema, pageQuery } from '../page.ts'
import { OPERATOR, PUBLIC } from '../scopes.ts'
import { Nullable, Time } from './shared.ts'

const Account = Type.Object({
  id: Type.String(),
  kind: Type.Enum(['user', 'team'] as const),
  slug: Type.String(),
  email: Type.Optional(Type.String()),
  plan: Type.Enum(PLANS),
  softBlocked: Type.Boolean(),
})

const ListedAccount = Type.Object({
  ...Account.properties,
  operator: Type.Boolean({ description: 'Whether this user is an operator of the installation.' }),
  createdAt: Time,
  projects: Type.Integer(),
  deployments: Type.Integer(),
})

export const listAccounts = endpoint({
  on: 'GET /v1/operator/accounts',
  summary: 'List the accounts of users and teams, newest first',
  access: OPERATOR,
  query: Type.Object({
    ...pageQuery,
    search: Type.Optional(
      Type.String({
        maxLength: 100,
        description: 'Only accounts whose username, slug or email address contains this.',
      }),
    ),
  }),
  reply: Type.Object({ accounts: Type.Array(ListedAccount), pagination: PaginationSchema }),
})

export const getAccount = endpoint({
  on: 'GET /v1/operator/accounts/:idOrEmailOrSlug',
  summary: 'Look up an account by id, email address or slug',
  access: OPERATOR,
  reply: Account,
})

export const updateAccount = endpoint({
  on: 'PATCH /v1/operator/accounts/:idOrEmailOrSlug',
  summary: 'Change the plan of an account, or block and unblock its writes',
  access: OPERATOR,
  body: Type.Object({ plan: Type.Optional(Type.Enum(PLANS)), softBlocked: Type.Optional(Type.Boolean()) }),
  reply: Account,
})

const Queue = Type.Object({ queued: Type.Integer(), running: Type.Integer(), failed: Type.Integer() })

const Check = Type.Object({
  name: Type.String(),
  ok: Type.Boolean(),
  message: Type.String(),
  hint: Type.Optional(Type.String({ description: 'What to do about it.' })),
  warning: Type.Optional(Type.Literal(true, { description: 'It works, but needs attention.' })),
})

const Bytes = Type.Integer({ minimum: 0, description: 'Bytes.' })

export const getStatus = endpoint({
  on: 'GET /v1/operator/status',
  summary: 'Get the setup, resource usage and health of the installation',
  access: OPERATOR,
  reply: Type.Object({
    version: Type.String(),
    node: Type.String(),
    time: Type.Integer({ description: 'The clock of the server.' }),
    startedAt: Type.Integer({ description: 'When the responding process was started.' }),
    origin: Type.String(),
    baseUrl: Type.String(),
    domain: Type.String(),
    addresses: Type.Array(Type.String(), {
      description: 'IP addresses for visitors, as in its DNS answers.',
    }),
    nameservers: Type.Array(Type.String()),
    ports: Type.Object({
      http: Type.Integer(),
      tls: Type.Integer({ description: '0: off' }),
      dns: Type.Integer({ description: '0: off' }),
    }),
    database: Type.Object({
      kind: Type.Enum(['sqlite', 'postgresql'] as const),
      bytes: Bytes,
      schema: Type.String({ description: 'The latest migration of its schema.' }),
    }),
    blobs: Type.Object({
      bytes: Bytes,
      damaged: Type.Integer({
        description: 'Damaged file contents that were not uploaded again.',
      }),
      toMove: Type.Integer({
        description: 'File contents that are still in the previous store, counted up to 100,000.',
      }),
    }),
    logs: Type.Object({
      bytes: Bytes,
      recording: Type.Boolean({ description: 'False while the disk is nearly full.' }),
      damaged: Type.Array(Type.String(), { description: 'Log databases that were damaged and set aside.' }),
    }),
    disk: Type.Object({ free: Bytes, total: Bytes }),
    memory: Type.Object({ free: Bytes, total: Bytes }),
    processes: Type.Array(
      Type.Object({
        name: Type.String(),
        role: Type.Enum(['supervisor', 'serve', 'work'] as const),
        pid: Type.Integer(),
        startedAt: Time,
        restarts: Type.Integer(),
        hangs: Type.Integer({ description: 'Restarts because it stopped responding.' }),
        memory: Nullable(Bytes),
      }),
      { description: 'Of this machine.' },
    ),
    certificates: Type.Object({
      authority: Type.Enum(['local', 'acme'] as const),
      expiring: Type.Integer({ description: 'Certificates that expire within 14 days.' }),
    }),
    mail: Type.Enum(['smtp', 'outbox'] as const),
    exposed: Type.Array(Type.String(), {
      description: 'How others on the network could read or impersonate the database or Redis.',
    }),
    runtime: Type.Enum(['process', 'docker', 'swarm'] as const),
    sandbox: Type.Object({
      mode: Type.Enum(['required', 'auto', 'off'] as const),
      kind: Nullable(Type.String({ description: 'What isolates builds and functions; null while unknown.' })),
      missing: Type.Array(Type.String(), { description: 'What this machine cannot isolate, and why.' }),
      inForce: Type.Array(Type.Array(Type.String()), {
        description: 'The network, limits and cgroups in effect, as pairs of name and value.',
      }),
      advice: Nullable(
        Type.Object({
          problem: Type.String({ description: 'Why there is no sandbox, or no network in it.' }),
          meaning: Type.String(),
          command: Type.Optional(Type.String({ description: 'Shell command that fixes it.' })),
          hint: Type.Optional(Type.String()),
        }),
      ),
    }),
    programs: Type.Object({
      git: Nullable(Type.String({ description: 'Its version; null if it is not installed.' })),
      ssh: Type.Boolean(),
    }),
    sshServer: Type.Optional(Type.Object({ port: Type.Integer(), hostKeyFingerprint: Type.String() })),
    queue: Queue,
    lateJobs: Type.Array(
      Type.Object({
        kind: Type.String(),
        dueAt: Nullable(Type.Integer()),
        state: Type.Enum(['overdue', 'far off', 'missing'] as const),
      }),
      { description: 'Periodic jobs that are not on schedule.' },
    ),
    checks: Type.Array(Check),
  }),
})

export const listUnknownEndpoints = endpoint({
  on: 'GET /v1/operator/unknown-endpoints',
  summary: 'List the unknown endpoints that clients requested most since the last start',
  access: OPERATOR,
  reply: Type.Object({
    endpoints: Type.Array(
      Type.Object({
        endpoint: Type.String({ description: 'Method and path, with ids shown as `:id`.' }),
        count: Type.Integer(),
        lastAt: Time,
      }),
      { description: 'At most 10, most frequent first. Only this machine.' },
    ),
  }),
})

export const restart = endpoint({
  on: 'POST /v1/operator/restart',
  summary: 'Restart the responding machine without downtime',
  access: OPERATOR,
  // It answers when the new processes have taken over.
  slow: true,
  reply: Type.Object({ restarted: Type.Boolean() }),
})

export const makeBackup = endpoint({
  on: 'POST /v1/operator/backups',
  summary: 'Create a backup of everything and download it while it is created',
  access: OPERATOR,
  noStore: true,
  slow: true,
  query: Type.Object({
    logs: Type.Optional(Type.Boolean({ description: 'Include the logs of deployments.' })),
    key: Type.Optional(
      Type.Boolean({ description: 'Include the master key, which is needed to read secrets.' }),
    ),
  }),
  reply: 'raw',
})

const FailedJob = Type.Object({
  id: Type.String(),
  name: Type.String(),
  createdAt: Time,
  failedAt: Time,
  attempts: Type.Integer(),
  error: Type.String({ description: 'Error of the last attempt.' }),
})

export const listFailedJobs = endpoint({
  on: 'GET /v1/operator/jobs/failed',
  summary: 'List dead jobs, latest failure first',
  access: OPERATOR,
  query: Type.Object(pageQuery),
  reply: Type.Object({ jobs: Type.Array(FailedJob), pagination: PaginationSchema }),
})

export const retryFailedJob = endpoint({
  on: 'POST /v1/operator/jobs/failed/:id/retry',
  summary: 'Retry a dead job',
  access: OPERATOR,
  reply: Type.Object({ id: Type.String(), name: Type.String(), state: Type.String() }),
})

export const deleteFailedJob = endpoint({
  on: 'DELETE /v1/operator/jobs/failed/:id',
  summary: 'Delete a dead job',
  access: OPERATOR,
  status: 204,
  reply: 'empty',
})

export const listJobs = endpoint({
  on: 'GET /v1/operator/jobs',
  summary: 'List recurring jobs and the state of the queue',
  access: OPERATOR,
  reply: Type.Object({
    jobs: Type.Array(Type.Object({ name: Type.String(), summary: Type.String() })),
    queue: Queue,
  }),
})

export const runJob = endpoint({
  on: 'POST /v1/operator/jobs/:name/run',
  summary: 'Run a recurring job now',
  access: OPERATOR,
  reply: Type.Object({ name: Type.String(), jobId: Type.String(), state: Type.String() }),
})

export const setupPage = endpoint({
  on: 'GET /setup',
  page: true,
  summary: 'Page behind the one-time setup link',
  access: PUBLIC,
  limit: 'registration-verify',
  query: Type.Object({ token: Type.Optional(Type.String({ maxLength: 256 })) }),
  reply: 'html',
})

export const setUp = endpoint({
  on: 'POST /setup',
  page: true,
  summary: 'Create the operator account with the one-time setup link',
  access: PUBLIC,
  limit: 'registration-verify',
  form: true,
  query: Type.Object({ token: Type.Optional(Type.String({ maxLength: 256 })) }),
  body: Type.Object({
    token: Type.Optional(Type.String({ maxLength: 256 })),
    email: Type.String({ minLength: 1, maxLength: 254 }),
  }),
  reply: 'raw',
})
