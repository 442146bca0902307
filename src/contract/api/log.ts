import { type Static, Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { needs } from '../scopes.ts'

export const LOG_TYPES = ['request', 'response', 'command', 'stdout'] as const
export type LogType = (typeof LOG_TYPES)[number]

/** What an entry came from: a build, or what answered visitors. */
export const LOG_SOURCES = ['build', 'lambda', 'static', 'instance'] as const
export type LogSource = (typeof LOG_SOURCES)[number]

/** The most entries of one answer; `limit=-1` asks for these. */
export const LOG_LIMIT = 2000

const text = (description: string) => Type.Optional(Type.String({ maxLength: 1024, description }))

const Query = Type.Object({
  direction: Type.Optional(
    Type.Enum(['forward', 'backward'] as const, {
      description: '`forward` (the default) returns the oldest entry first, `backward` the newest.',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: -1,
      description: `Maximum number of entries, up to ${LOG_LIMIT}; -1 (the default) means ${LOG_LIMIT}. With \`follow\`: how many of the newest existing entries to send first.`,
    }),
  ),
  since: text('Entries created at or after this time (ms), or after the entry of this serial.'),
  until: text('Entries created at or before this time (ms), or before the entry of this serial.'),
  types: text(`A comma-separated list of ${LOG_TYPES.join(', ')}.`),
  q: text('Entries that contain this exact text.'),
  name: text('Entries of this build.'),
  builds: Type.Optional(Type.Boolean({ description: 'Only build output.' })),
  statusCode: text('Responses with this status, such as `404`, or of this class, such as `4xx`.'),
  instanceId: text('Entries of this instance.'),
  follow: Type.Optional(
    Type.Boolean({
      description:
        'Continues with new entries, as `application/stream+json`: one JSON value per line, and blank lines as keep-alive. With `builds`, it ends when the deployment is READY or in ERROR.',
    }),
  ),
  format: Type.Optional(Type.Enum(['lines'] as const, { description: '`lines`: one JSON value per line.' })),
})

export type EventsQuery = Static<typeof Query>

const common = { access: needs('deployment'), query: Query, reply: 'raw' } as const

export const readEvents = endpoint({
  ...common,
  on: 'GET /v2/platform/deployments/:id/events',
  summary: 'Read or follow the log of a deployment, as an array of entries',
})

export const legacy = {
  readEvents: endpoint({
    ...common,
    on: 'GET /v1/platform/deployments/:id/events',
    gen: 'legacy',
    summary: 'Read or follow the log of a deployment, in the legacy format',
  }),
}

export const earliest = {
  readEvents: endpoint({
    ...common,
    on: 'GET /platform/deployments/:id/events',
    gen: 'earliest',
    summary: 'Read or follow the log of a deployment, in the legacy format',
  }),
  readLogs: endpoint({
    ...common,
    on: 'GET /platform/deployments/:id/logs',
    gen: 'earliest',
    summary: 'Read or follow the log of a deployment, in the legacy format',
  }),
}
