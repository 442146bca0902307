import { Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { needs, PERSONAL } from '../scopes.ts'
import { Time } from './shared.ts'

const FORMATS = ['json', 'ndjson', 'syslog'] as const
const SOURCES = ['static', 'lambda', 'build', 'edge', 'external'] as const
const ENVIRONMENTS = ['production', 'preview'] as const

const common = { gen: 'current', teamBySlug: true } as const
const personal = { ...common, access: PERSONAL } as const
const integration = { ...common, access: needs('log-drain') } as const

const Body = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 100 }),
  url: Type.String({ minLength: 1, description: 'Where entries are sent: `https://…`.' }),
  deliveryFormat: Type.Enum(FORMATS, {
    description: '`json`: an array; `ndjson`: an object a line; `syslog`: a line of RFC 5424 each.',
  }),
  projectIds: Type.Optional(
    Type.Array(Type.String({ maxLength: 100 }), {
      minItems: 1,
      maxItems: 50,
      description: 'Entries of these projects alone.',
    }),
  ),
  sources: Type.Optional(
    Type.Array(Type.Enum(SOURCES), { minItems: 1, maxItems: 10, description: 'Entries of these alone.' }),
  ),
  environments: Type.Optional(
    Type.Array(Type.Enum(ENVIRONMENTS), {
      minItems: 1,
      maxItems: 10,
      description: 'Entries of these alone.',
    }),
  ),
  headers: Type.Optional(
    Type.Record(Type.String(), Type.String(), {
      maxProperties: 10,
      description: 'Sent with every batch; not shown again.',
    }),
  ),
  secret: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 256,
      description: 'Signs what is sent, in the header `x-platform-signature`; not shown again.',
    }),
  ),
  samplingRate: Type.Optional(
    Type.Number({
      exclusiveMinimum: 0,
      maximum: 1,
      description: 'The share of requests whose entries are sent; all unless said.',
    }),
  ),
})

const Drain = Type.Object({
  id: Type.String(),
  name: Type.String(),
  url: Type.String(),
  deliveryFormat: Type.String(),
  projectIds: Type.Optional(Type.Array(Type.String())),
  sources: Type.Optional(Type.Array(Type.String())),
  environments: Type.Optional(Type.Array(Type.String())),
  samplingRate: Type.Optional(Type.Number()),
  createdAt: Time,
  ownerId: Type.String(),
  clientId: Type.Optional(Type.String()),
  configurationId: Type.Optional(Type.String()),
  createdFrom: Type.String({ description: '`self-served` or `integration`' }),
  status: Type.String({
    description: '`enabled`, or `errored` once nothing has arrived for 24 hours: then nothing more is sent.',
  }),
})

export const createDrain = endpoint({
  ...personal,
  on: 'POST /v1/log-drains',
  summary: 'Have log entries sent to an address as they are written',
  limit: 'write',
  body: Body,
  reply: Drain,
})

export const listDrains = endpoint({
  ...personal,
  on: 'GET /v1/log-drains',
  summary: 'List the log drains of the account',
  limit: 'read',
  reply: Type.Array(Drain),
})

export const getDrain = endpoint({
  ...personal,
  on: 'GET /v1/log-drains/:id',
  summary: 'Get a log drain',
  limit: 'read',
  reply: Drain,
})

export const deleteDrain = endpoint({
  ...personal,
  on: 'DELETE /v1/log-drains/:id',
  summary: 'Remove a log drain; what was not sent yet never will be',
  limit: 'write',
  status: 204,
  reply: 'empty',
})

export const getVerifyCode = endpoint({
  ...integration,
  on: 'GET /v1/verify-code',
  summary: 'Get what an address has to answer with in `x-platform-verify` before logs are sent to it',
  limit: 'read',
  reply: Type.Object({ code: Type.String() }),
})

/** For applications: each sees and removes its own. */
export const integrations = {
  createDrain: endpoint({
    ...integration,
    on: 'POST /v2/integrations/log-drains',
    summary: 'Have log entries sent to an address of an integration',
    limit: 'write',
    body: Body,
    reply: Drain,
  }),
  listDrains: endpoint({
    ...integration,
    on: 'GET /v2/integrations/log-drains',
    summary: 'List the log drains that belong to the integration',
    limit: 'read',
    reply: Type.Array(Drain),
  }),
  deleteDrain: endpoint({
    ...integration,
    on: 'DELETE /v1/integrations/log-drains/:id',
    summary: 'Remove a log drain of the integration',
    limit: 'write',
    status: 204,
    reply: 'empty',
  }),
}
