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
  bytes: Type.Integer({ description: 'Of the bodies that were sent.' }),
  coldStarts: Type.Integer({ description: 'Requests that waited for an instance to start.' }),
  p50: Type.Number({ description: 'Half of the requests took at most so many ms; 0 when there were none.' }),
  p95: Type.Number(),
  p99: Type.Number(),
}

const Totals = Type.Object(Numbers)
const Point = Type.Object({ at: Time, ...Numbers })
const TopPath = Type.Object({
  path: Type.String({ description: 'Without its query; `…` at the end of one that was cut.' }),
  requests: Type.Integer(),
  errors: Type.Integer({ description: 'Of the requests, those that were answered with 500 or above.' }),
  p95: Type.Number(),
  bytes: Type.Integer(),
})

const Analytics = Type.Object({
  from: Time,
  to: Time,
  step: Type.Integer({ description: 'Milliseconds from one point to the next: a minute, an hour or a day.' }),
  points: Type.Array(Point, { description: 'One for every step, those without a visit included.' }),
  totals: Totals,
  topPaths: Type.Array(TopPath, { description: 'Up to 20, most requests first.' }),
})

export type Traffic = Static<typeof Totals>
export type TrafficPoint = Static<typeof Point>
export type TrafficPath = Static<typeof TopPath>
export type ProjectTraffic = Static<typeof Analytics>

export const readAnalytics = endpoint({
  on: 'GET /v1/projects/:idOrName/analytics',
  gen: 'current',
  summary: 'Count the visits of a project over time: statuses, durations, bytes, cold starts and top paths',
  access: needs('project'),
  teamBySlug: true,
  limit: 'read',
  query: Type.Object({
    from: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          'Visits from this time (ms) on, rounded down to a step; 24 hours before `to` unless said.',
      }),
    ),
    to: Type.Optional(
      Type.Integer({ minimum: 0, description: 'Visits before this time (ms); now unless said.' }),
    ),
    target: Type.Optional(
      Type.Enum([...TRAFFIC_TARGETS, 'all'] as const, {
        description: 'Visits at these addresses alone; `all` unless said.',
      }),
    ),
    deploymentId: Type.Optional(
      Type.String({ minLength: 1, maxLength: 100, description: 'Visits of this deployment alone.' }),
    ),
  }),
  reply: Analytics,
})

export const readSparklines = endpoint({
  on: 'GET /v1/analytics/projects',
  gen: 'current',
  summary: 'Count the requests of each project of the account, hour by hour',
  access: needs('project'),
  teamBySlug: true,
  limit: 'read',
  query: Type.Object({
    hours: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 168,
        description: 'How many, the current one included; 24 unless said.',
      }),
    ),
    ids: Type.Optional(
      Type.String({
        maxLength: 4096,
        description: `Ids of up to ${SPARKLINES} projects, separated by commas; the ${SPARKLINES} that changed last unless said.`,
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
        requests: Type.Array(Type.Integer(), { description: 'One number for every hour, the oldest first.' }),
        total: Type.Integer(),
        errors: Type.Integer({ description: 'Of these, those that were answered with 500 or above.' }),
      }),
    ),
  }),
})
