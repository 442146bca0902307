import { type Static, Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { needs } from '../scopes.ts'
import { TRAFFIC_TARGETS } from './analytics.ts'
import { Nullable } from './shared.ts'

/** A visit, or a line that a program wrote on one of its two streams. */
export const PROJECT_LOG_TYPES = ['request', 'stdout', 'stderr'] as const
export type ProjectLogType = (typeof PROJECT_LOG_TYPES)[number]

/** What answered a visit, or wrote a line. */
export const PROJECT_LOG_SOURCES = ['static', 'function', 'server', 'proxy', 'redirect', 'error'] as const
export type ProjectLogSource = (typeof PROJECT_LOG_SOURCES)[number]

/** `error`: a 5xx or a line on stderr; `warning`: a 4xx; `info`: everything else. */
export const LOG_LEVELS = ['info', 'warning', 'error'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

export const PROJECT_LOG_LIMIT = { max: 500, usual: 50 } as const

const text = (description: string, maxLength = 1024) => Type.Optional(Type.String({ maxLength, description }))

const Query = Type.Object({
  limit: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: PROJECT_LOG_LIMIT.max,
      description: `Maximum number of entries; defaults to ${PROJECT_LOG_LIMIT.usual}. With \`follow\`: how many existing entries to send first.`,
    }),
  ),
  since: text('Entries created at or after this time (ms), or after the entry of this serial.', 20),
  until: text('Entries created at or before this time (ms), or before the entry of this serial.', 20),
  deploymentId: text('Only entries of this deployment.', 100),
  target: Type.Optional(
    Type.Enum(TRAFFIC_TARGETS, { description: 'Only entries of requests to these URLs.' }),
  ),
  type: text(`A comma-separated list of ${PROJECT_LOG_TYPES.join(', ')}.`, 100),
  level: text(`A comma-separated list of ${LOG_LEVELS.join(', ')}.`, 100),
  source: text(`A comma-separated list of ${PROJECT_LOG_SOURCES.join(', ')}.`, 100),
  status: text('Requests with one of these status codes, such as `404`, or classes, such as `4xx,5xx`.', 100),
  method: text('Requests with this method.', 20),
  path: text('Requests whose path starts with this, or contains it after a `*`: `/api/`, `*login`.'),
  host: text('Requests to this host.', 253),
  requestId: text('The request with this id, and its output.', 100),
  q: text('Entries that contain this exact text.'),
  follow: Type.Optional(
    Type.Boolean({
      description:
        'Oldest first, then new entries, as `application/stream+json`: one JSON value per line, and blank lines as keep-alive.',
    }),
  ),
})

export type ProjectLogsQuery = Static<typeof Query>

const Common = {
  id: Type.String(),
  serial: Type.String({
    description: 'Its position in the log, for `since` and `until`: the order in which entries were stored.',
  }),
  at: Type.Integer({ description: 'When the request started or the line was written (ms).' }),
  level: Type.Enum(LOG_LEVELS),
  deploymentId: Type.String(),
  source: Type.Enum(PROJECT_LOG_SOURCES),
  entrypoint: Type.String({ description: 'The file or function that responded or wrote the line.' }),
  region: Type.String(),
  text: Type.String({
    description: 'The line; for a request, a summary and the reason for a failure, if known.',
  }),
}

const RequestEntry = Type.Object({
  ...Common,
  type: Type.Literal('request'),
  requestId: Type.String(),
  ms: Type.Integer(),
  method: Type.String(),
  host: Type.String(),
  path: Type.String({ description: 'Including the query.' }),
  status: Type.Integer(),
  bytes: Type.Integer(),
  userAgent: Type.String(),
  ip: Type.String(),
  coldStart: Type.Boolean(),
})

const LineEntry = Type.Object({
  ...Common,
  type: Type.Enum(['stdout', 'stderr'] as const),
  requestId: Type.Optional(Type.String({ description: 'The request that wrote it.' })),
  instanceId: Type.Optional(Type.String()),
})

const Answer = Type.Object({
  entries: Type.Array(Type.Union([RequestEntry, LineEntry]), { description: 'Newest first.' }),
  pagination: Type.Object({
    count: Type.Integer(),
    next: Nullable(
      Type.String({
        description:
          'Pass it as `until` for older entries. A search can return fewer entries than requested, or none, before the end is reached.',
      }),
    ),
  }),
})

export type ProjectLogRequest = Static<typeof RequestEntry>
export type ProjectLogLine = Static<typeof LineEntry>
export type ProjectLogEntry = ProjectLogRequest | ProjectLogLine
/** What the endpoint answers without `follow`; with it, every line is one of the entries. */
export type ProjectLogs = Static<typeof Answer>

export const readProjectLogs = endpoint({
  on: 'GET /v1/projects/:idOrName/logs',
  summary: 'Read or follow the requests to a project and the output of its functions, newest first',
  access: needs('deployment'),
  teamBySlug: true,
  query: Query,
  reply: 'raw',
})
