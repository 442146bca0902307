import { Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { needs } from '../scopes.ts'
import { Nullable, Time } from './shared.ts'

const common = { teamBySlug: true, access: needs('project') } as const

export const OVERLAPS = ['skip', 'allow'] as const

const Path = Type.String({
  minLength: 1,
  maxLength: 512,
  description: 'The path to request with GET from the production deployment, such as `/api/nightly`.',
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
  description: 'Time zone of the schedule, such as `Europe/Paris`; defaults to `UTC`.',
})
const settings = {
  overlap: Type.Optional(
    Type.Enum(OVERLAPS, {
      description:
        'What to do when a run is due while the previous one is in progress: `skip` it (the default), or `allow` both.',
    }),
  ),
  makeUp: Type.Optional(
    Type.Boolean({ description: 'Whether to run once after missed or interrupted runs.' }),
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
  status: Nullable(Type.Integer({ description: 'Status code of the response.' })),
  deploymentId: Nullable(Type.String()),
  requestId: Nullable(Type.String({ description: 'Finds its log: `requestId` in the project log.' })),
  message: Nullable(Type.String({ description: 'Why it has this status.' })),
})

const fields = {
  id: Type.String(),
  projectId: Type.String(),
  source: Type.String({
    description: '`config`: defined by the production deployment. `api`: created with this API.',
  }),
  path: Type.String(),
  schedule: Type.String(),
  timeZone: Type.String(),
  enabled: Type.Boolean(),
  overlap: Type.String(),
  makeUp: Type.Boolean(),
  failures: Type.Integer({ description: 'Failed runs since the last successful one.' }),
  nextAt: Nullable(Type.Integer({ description: 'Null while it is paused.' })),
  createdAt: Time,
  updatedAt: Time,
}
const Cron = Type.Object(fields)

export const listCrons = endpoint({
  ...common,
  on: 'GET /v1/projects/:idOrName/crons',
  summary: 'List the schedules of a project, each with its last run',
  reply: Type.Object({ crons: Type.Array(Type.Object({ ...fields, lastRun: Type.Optional(Run) })) }),
})

export const createCron = endpoint({
  ...common,
  on: 'POST /v1/projects/:idOrName/crons',
  summary: 'Request a path of the production deployment on a schedule',
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
    'To change the path, schedule or time zone of a schedule that the production deployment defines, deploy again.',
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
  summary: 'Remove a schedule that was created with this API, and its runs',
  status: 204,
  reply: 'empty',
})

export const runCron = endpoint({
  ...common,
  on: 'POST /v1/projects/:idOrName/crons/:id/runs',
  summary: 'Run a schedule now, even if it is paused',
  status: 202,
  reply: Type.Object({ id: Type.String({ description: 'Id of the run, which starts in a moment.' }) }),
})

export const listCronRuns = endpoint({
  ...common,
  on: 'GET /v1/projects/:idOrName/crons/:id/runs',
  summary: 'List the runs of a schedule, latest first; the last 100 are kept',
  query: Type.Object({
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
    until: Type.Optional(Type.Integer({ minimum: 0, description: 'Only runs due before this time (ms).' })),
  }),
  reply: Type.Object({ runs: Type.Array(Run) }),
})
