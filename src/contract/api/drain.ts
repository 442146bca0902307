import { Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { needs, PERSONAL } from '../scopes.ts'
import { Time } from './shared.ts'

export const DRAIN_FORMATS = ['json', 'ndjson', 'syslog'] as const
export const DRAIN_SOURCES = ['static', 'lambda', 'build', 'edge', 'external'] as const
export const DRAIN_ENVIRONMENTS = ['production', 'preview'] as const

const personal = { teamBySlug: true, access: PERSONAL } as const
const integration = { teamBySlug: true, access: needs('log-drain') } as const

const Body = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 100 }),
  url: Type.String({ minLength: 1, description: 'Where entries are sent: `https://…`.' }),
  deliveryFormat: Type.Enum(DRAIN_FORMATS, {
    description: '`json`: an array; `ndjson`: one object per line; `syslog`: RFC 5424 lines.',
  }),
  projectIds: Type.Optional(
    Type.Array(Type.String({ maxLength: 100 }), {
      minItems: 1,
      maxItems: 50,
      description: 'Only entries of these projects.',
    }),
  ),
  sources: Type.Optional(
    Type.Array(Type.Enum(DRAIN_SOURCES), {
      minItems: 1,
      maxItems: 10,
      description: 'Only entries of these.',
    }),
  ),
  environments: Type.Optional(
    Type.Array(Type.Enum(DRAIN_ENVIRONMENTS), {
      minItems: 1,
      maxItems: 10,
      description: 'Only entries of these.',
    }),
  ),
  headers: Type.Optional(
    Type.Record(Type.String(), Type.String(), {
      maxProperties: 10,
      description: 'Sent with every batch; never shown.',
    }),
  ),
  secret: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 256,
      description: 'Signs each batch in the `x-platform-signature` header; never shown.',
    }),
  ),
  samplingRate: Type.Optional(
    Type.Number({
      exclusiveMinimum: 0,
      maximum: 1,
      description: 'Fraction of requests to send entries for; defaults to all.',
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
    description: '`enabled`, or `errored` if no batch was accepted for 24 hours; then nothing more is sent.',
  }),
})

export const createDrain = endpoint({
  ...personal,
  on: 'POST /v1/log-drains',
  summary: 'Create a log drain that sends log entries to a URL',
  body: Body,
  reply: Drain,
})

export const listDrains = endpoint({
  ...personal,
  on: 'GET /v1/log-drains',
  summary: 'List the log drains of the account',
  reply: Type.Array(Drain),
})

export const getDrain = endpoint({
  ...personal,
  on: 'GET /v1/log-drains/:id',
  summary: 'Get a log drain',
  reply: Drain,
})

export const deleteDrain = endpoint({
  ...personal,
  on: 'DELETE /v1/log-drains/:id',
  summary: 'Remove a log drain; entries not sent yet are discarded',
  status: 204,
  reply: 'empty',
})

export const getVerifyCode = endpoint({
  ...integration,
  on: 'GET /v1/verify-code',
  summary: 'Get the code that an endpoint must return in `x-platform-verify` before it receives logs',
  reply: Type.Object({ code: Type.String() }),
})

/** For applications: each sees and removes its own. */
export const integrations = {
  createDrain: endpoint({
    ...integration,
    on: 'POST /v2/integrations/log-drains',
    summary: 'Create a log drain for an integration',
    body: Body,
    reply: Drain,
  }),
  listDrains: endpoint({
    ...integration,
    on: 'GET /v2/integrations/log-drains',
    summary: 'List the log drains of the integration',
    reply: Type.Array(Drain),
  }),
  deleteDrain: endpoint({
    ...integration,
    on: 'DELETE /v1/integrations/log-drains/:id',
    summary: 'Remove a log drain of the integration',
    status: 204,
    reply: 'empty',
  }),
}
