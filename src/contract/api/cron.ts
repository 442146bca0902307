import { Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { needs } from '../scopes.ts'
import { Nullable, Time } from './shared.ts'

const common = { gen: 'current', teamBySlug: true, access: needs('project') } as const

const OVERLAPS = ['skip', 'allow'] as const

const Path = Type.String({
  minLength: 1,
  maxLength: 512,
  description: 'What is requested by GET of the production deployment, such as `/api/nightly`.',
})
const Schedule = Type.String({
  minLength: 1,
  maxLength: 256,
  description:
    'Five fields: minute, hour, day of the month, month, day of the week. `0 5 * * *`: at 05:00 every day.',
})
const TimeZone = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'By which the schedule goes, such as `Europe/Paris`; `UTC` unless said.',
})
const settings = {
  overlap: Type.Optional(
    Type.Enum(OVERLAPS, {
      description:
        'What happens when a run falls due while the one before is still going on: `skip` it, which is the default, or `allow` both.',
    }),
  ),
  makeUp: Type.Optional(
    Type.Boolean({ description: 'Whether a run that was missed or interrupted is made up for, once.' }),
  ),
}

const Run = Type.Object({
  id: Type.String(),
  trigger: Type.String({ description: '`schedule`, `manual` or `make-up`' }),
  state: Type.String({
    description: '`running`, `succeeded`, `failed`, `skipped`, `missed` or `interrupted`',
  }),
  dueAt: Time,
  startedAt: Nullable(Type.Integer()),
  endedAt: Nullable(Type.Integer()),
  durationMs: Nullable(Type.Integer()),
  status: Nullable(Type.Integer({ description: 'Of the answer.' })),
  deploymentId: Nullable(Type.String()),
  requestId: Nullable(
    Type.String({ description: 'By which its log is found: `requestId` of the project log.' }),
  ),
  message: Nullable(Type.String({ description: 'Why it is in this state, in words.' })),
})

const fields = {
  id: Type.String(),
  projectId: Type.String(),
  source: Type.String({
    description: '`config`: named by the production deployment. `api`: made by this API, and kept.',
  }),
  path: Type.String(),
  schedule: Type.String(),
  timeZone: Type.String(),
  enabled: Type.Boolean(),
  overlap: Type.String(),
  makeUp: Type.Boolean(),
  failures: Type.Integer({ description: 'Failed runs since the last that succeeded.' }),
  nextAt: Nullable(Type.Integer({ description: 'Null while it is paused.' })),
  createdAt: Time,
  updatedAt: Time,
}
const Cron = Type.Object(fields)

export const listCrons = endpoint({
  ...common,
  on: 'GET /v1/projects/:idOrName/crons',
  summary: 'List the schedules of a project, each with its last run',
  limit: 'read',
  reply: Type.Object({ crons: Type.Array(Type.Object({ ...fields, lastRun: Type.Optional(Run) })) }),
})

export const createCron = endpoint({
  ...common,
  on: 'POST /v1/projects/:idOrName/crons',
  summary: 'Have a path of the production deployment requested on a schedule',
  limit: 'write',
  body: Type.Object({
    path: Path,
    schedule: Schedule,
    timeZone: Type.Optional(TimeZone),
    ...settings,
  }),
  reply: Cron,
})

export const updateCron = endpoint({
  ...common,
  on: 'PATCH /v1/projects/:idOrName/crons/:id',
  summary: 'Change, pause or resume a schedule',
  description:
    'Path, schedule and time zone of one that the production deployment names are changed by deploying.',
  limit: 'write',
  body: Type.Object({
    path: Type.Optional(Path),
    schedule: Type.Optional(Schedule),
    timeZone: Type.Optional(TimeZone),
    enabled: Type.Optional(Type.Boolean({ description: 'False pauses it.' })),
    ...settings,
  }),
  reply: Cron,
})

export const deleteCron = endpoint({
  ...common,
  on: 'DELETE /v1/projects/:idOrName/crons/:id',
  summary: 'Remove a schedule that was made by this API, with its runs',
  limit: 'write',
  status: 204,
  reply: 'empty',
})

export const runCron = endpoint({
  ...common,
  on: 'POST /v1/projects/:idOrName/crons/:id/runs',
  summary: 'Run a schedule now, also one that is paused',
  limit: 'write',
  status: 202,
  reply: Type.Object({ id: Type.String({ description: 'Of the run, which begins in a moment.' }) }),
})

export const listCronRuns = endpoint({
  ...common,
  on: 'GET /v1/projects/:idOrName/crons/:id/runs',
  summary: 'List the last runs of a schedule, the latest first; 100 of them are kept',
  limit: 'read',
  query: Type.Object({
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
    until: Type.Optional(Type.Integer({ minimum: 0, description: 'Only runs that fell due before (ms).' })),
  }),
  reply: Type.Object({ runs: Type.Array(Run) }),
})
