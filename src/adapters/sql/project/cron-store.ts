import { type Selectable, sql } from 'kysely'
import type { Cron, CronRun } from '#core/cron/cron.ts'
import { KEPT_RUNS } from '#core/cron/cron.ts'
import type { CronStore } from '#core/cron/cron-store.ts'
import { changedOne } from '../database/changed-one.ts'
import { flag } from '../database/columns.ts'
import type { CronRunTable, CronTable, Db } from '../tables.ts'

// By name, not whatever the tables have: PostgreSQL runs no statement again whose columns have become more since it was planned.
const CRON = [
  ...(['id', 'owner_id', 'project_id', 'source', 'path', 'schedule', 'time_zone', 'enabled'] as const),
  ...(['overlap', 'make_up', 'failures', 'next_at', 'created_at', 'updated_at'] as const),
] as const satisfies readonly (keyof CronTable)[]
const RUN = [
  ...(['id', 'cron_id', 'trigger_kind', 'state', 'due_at', 'started_at', 'ended_at', 'status'] as const),
  ...(['deployment_id', 'request_id', 'message'] as const),
] as const satisfies readonly (keyof CronRunTable)[]

const toCron = (row: Selectable<CronTable>): Cron => ({
  id: row.id,
  ownerId: row.owner_id,
  projectId: row.project_id,
  source: row.source,
  path: row.path,
  schedule: row.schedule,
  timeZone: row.time_zone,
  enabled: row.enabled === 1,
  overlap: row.overlap,
  makeUp: row.make_up === 1,
  failures: row.failures,
  nextAt: row.next_at,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

const fromCron = (cron: Cron): Selectable<CronTable> => ({
  id: cron.id,
  owner_id: cron.ownerId,
  project_id: cron.projectId,
  source: cron.source,
  path: cron.path,
  schedule: cron.schedule,
  time_zone: cron.timeZone,
  enabled: flag(cron.enabled),
  overlap: cron.overlap,
  make_up: flag(cron.makeUp),
  failures: cron.failures,
  next_at: cron.nextAt,
  created_at: cron.createdAt,
  updated_at: cron.updatedAt,
})

const toRun = (row: Selectable<CronRunTable>): CronRun => ({
  id: row.id,
  cronId: row.cron_id,
  trigger: row.trigger_kind,
  state: row.state,
  dueAt: row.due_at,
  startedAt: row.started_at,
  endedAt: row.ended_at,
  status: row.status,
  deploymentId: row.deployment_id,
  requestId: row.request_id,
  message: row.message,
})

/** Those of one deployment are made at the same moment. */
const byAgeAndPath = (a: Cron, b: Cron): number =>
  a.createdAt - b.createdAt || (a.path === b.path ? 0 : a.path < b.path ? -1 : 1)

export function createCronStore(db: Db): CronStore {
  const runs = () => db.selectFrom('cron_runs').select(RUN)

  /** The oldest beyond those that are kept. */
  async function forgetOld(cronId: string): Promise<void> {
    const old = await db
      .selectFrom('cron_runs')
      .select('due_at')
      .where('cron_id', '=', cronId)
      .orderBy('due_at', 'desc')
      .orderBy('id', 'desc')
      .offset(KEPT_RUNS)
      .limit(1)
      .executeTakeFirst()
    if (old === undefined) return
    await db
      .deleteFrom('cron_runs')
      .where('cron_id', '=', cronId)
      .where('due_at', '<=', old.due_at)
      .where('state', '!=', 'running')
      .execute()
  }

  return {
    async ofProject(projectId) {
      const rows = await db
        .selectFrom('crons')
        .select(CRON)
        .where('project_id', '=', projectId)
        .orderBy('created_at')
        .orderBy('id')
        .execute()
      return rows.map(toCron).sort(byAgeAndPath)
    },

    async lock(id) {
      // Writing what is there already is a lock that every database knows.
      const row = await db
        .updateTable('crons')
        .set((eb) => ({ path: eb.ref('path') }))
        .where('id', '=', id)
        .returning(CRON)
        .executeTakeFirst()
      return row && toCron(row)
    },

    async insert(cron) {
      await db.insertInto('crons').values(fromCron(cron)).execute()
    },

    async update(id, change) {
      return changedOne(
        db
          .updateTable('crons')
          .set({
            ...(change.path === undefined ? {} : { path: change.path }),
            ...(change.schedule === undefined ? {} : { schedule: change.schedule }),
            ...(change.timeZone === undefined ? {} : { time_zone: change.timeZone }),
            ...(change.enabled === undefined ? {} : { enabled: flag(change.enabled) }),
            ...(change.overlap === undefined ? {} : { overlap: change.overlap }),
            ...(change.makeUp === undefined ? {} : { make_up: flag(change.makeUp) }),
            ...(change.failures === undefined ? {} : { failures: change.failures }),
            ...(change.nextAt === undefined ? {} : { next_at: change.nextAt }),
            ...(change.updatedAt === undefined ? {} : { updated_at: change.updatedAt }),
          })
          .where('id', '=', id),
      )
    },

    async remove(id) {
      return changedOne(db.deleteFrom('crons').where('id', '=', id))
    },

    async insertRun({ id, cronId, trigger, state, dueAt, startedAt, endedAt, ...run }) {
      await db
        .insertInto('cron_runs')
        .values({
          id,
          cron_id: cronId,
          trigger_kind: trigger,
          state,
          due_at: dueAt,
          started_at: startedAt,
          ended_at: endedAt,
          status: run.status,
          deployment_id: run.deploymentId,
          request_id: run.requestId,
          message: run.message,
        })
        .execute()
      await forgetOld(cronId)
    },

    async updateRun(id, { state, endedAt, status, requestId, message }) {
      return changedOne(
        db
          .updateTable('cron_runs')
          .set({
            ...(state === undefined ? {} : { state }),
            ...(endedAt === undefined ? {} : { ended_at: endedAt }),
            ...(status === undefined ? {} : { status }),
            ...(requestId === undefined ? {} : { request_id: requestId }),
            ...(message === undefined ? {} : { message }),
          })
          .where('id', '=', id),
      )
    },

    async run(id) {
      const row = await runs().where('id', '=', id).executeTakeFirst()
      return row && toRun(row)
    },

    async isRunning(cronId) {
      const row = await db
        .selectFrom('cron_runs')
        .select('id')
        .where('cron_id', '=', cronId)
        .where('state', '=', sql.lit('running'))
        .limit(1)
        .executeTakeFirst()
      return row !== undefined
    },

    async runs(cronId, { limit, until }) {
      const rows = await runs()
        .where('cron_id', '=', cronId)
        .$if(until !== undefined, (query) => query.where('due_at', '<', until as number))
        .orderBy('due_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute()
      return rows.map(toRun)
    },

    async lastRuns(projectId) {
      const rows = await runs()
        .where('id', 'in', (eb) =>
          eb
            .selectFrom('crons')
            .where('crons.project_id', '=', projectId)
            .select((inner) =>
              inner
                .selectFrom('cron_runs as last')
                .select('last.id')
                .whereRef('last.cron_id', '=', 'crons.id')
                .orderBy('last.due_at', 'desc')
                .orderBy('last.id', 'desc')
                .limit(1)
                .as('id'),
            )
            .$castTo<{ id: string }>(),
        )
        .execute()
      return new Map(rows.map((row) => [row.cron_id, toRun(row)]))
    },
  }
}
