import { type Static, Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { needs } from '../scopes.ts'
import { Time } from './shared.ts'

/** Where visitors came in: at production addresses, or at any other. */
export const TRAFFIC_TARGETS = ['production', 'preview'] as const
export type TrafficTarget = (typeof TRAFFIC_TARGETS)[number]

/** The most projects of one answer about an account. */
export const SPARKLINES = 100

const Numbers = {
  requests: Type.Integer(),
  status: Type.Object({
    '2xx': Type.Integer(),
    '3xx': Type.Integer(),
    '4xx': Type.Integer(),
    '5xx': Type.Integer(),
  }),
  bytes: Type.Integer({ description: 'Bytes of response bodies.' }),
  coldStarts: Type.Integer({ description: 'Requests that waited for an instance to start.' }),
  p50: Type.Number({ description: 'Median latency in ms; 0 if there were no requests.' }),
  p95: Type.Number(),
  p99: Type.Number(),
}

const Totals = Type.Object(Numbers)
const Point = Type.Object({ at: Time, ...Numbers })
const TopPath = Type.Object({
  path: Type.String({ description: 'Without the query; ends with `…` if it was shortened.' }),
  requests: Type.Integer(),
  errors: Type.Integer({ description: 'Requests with a status of 500 or above.' }),
  p95: Type.Number(),
  bytes: Type.Integer(),
})

const Analytics = Type.Object({
  from: Time,
  to: Time,
  step: Type.Integer({ description: 'Interval between points in ms: a minute, an hour or a day.' }),
  points: Type.Array(Point, { description: 'One per interval, including intervals without requests.' }),
  totals: Totals,
  topPaths: Type.Array(TopPath, { description: 'Up to 20, most requests first.' }),
})

export type Traffic = Static<typeof Totals>
export type TrafficPoint = Static<typeof Point>
export type TrafficPath = Static<typeof TopPath>
export type ProjectTraffic = Static<typeof Analytics>

export const readAnalytics = endpoint({
  on: 'GET /v1/projects/:idOrName/analytics',
  summary:
    'Get the analytics of a project over time: status codes, latency, data transfer, cold starts and top paths',
  access: needs('project'),
  teamBySlug: true,
  query: Type.Object({
    from: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          'Requests since this time (ms), rounded down to an interval; defaults to 24 hours before `to`.',
      }),
    ),
    to: Type.Optional(
      Type.Integer({ minimum: 0, description: 'Requests before this time (ms); defaults to now.' }),
    ),
    target: Type.Optional(
      Type.Enum([...TRAFFIC_TARGETS, 'all'] as const, {
        description: 'Only requests to these URLs; defaults to `all`.',
      }),
    ),
    deploymentId: Type.Optional(
      Type.String({ minLength: 1, maxLength: 100, description: 'Only requests to this deployment.' }),
    ),
  }),
  reply: Analytics,
})

export const readSparklines = endpoint({
  on: 'GET /v1/analytics/projects',
  summary: 'Get the number of requests per hour for each project of the account',
  access: needs('project'),
  teamBySlug: true,
  query: Type.Object({
    hours: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 168,
        description: 'Number of hours, including the current one; defaults to 24.',
      }),
    ),
    ids: Type.Optional(
      Type.String({
        maxLength: 4096,
        description: `Ids of up to ${SPARKLINES} projects, separated by commas; defaults to the ${SPARKLINES} most recently updated.`,
      }),
    ),
  }),
  reply: Type.Object({
    from: Time,
    to: Time,
    step: Type.Integer(),
    projects: Type.Array(
      Type.Object({
        id: Type.String(),
        requests: Type.Array(Type.Integer(), { description: 'One number per hour, oldest first.' }),
        total: Type.Integer(),
        errors: Type.Integer({ description: 'Requests with a status of 500 or above.' }),
      }),
    ),
  }),
})
