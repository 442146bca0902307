import { type Selectable, sql } from 'kysely'
import type { Instance } from '#core/instance/instance.ts'
import type { InstanceStore } from '#core/instance/instance-store.ts'
import { SILENT_MS, workerNames } from '#core/machine/machine.ts'
import { databaseTime } from '../database/database-time.ts'
import { prepare } from '../database/prepare.ts'
import type { Db, InstanceTable } from '../tables.ts'

const toInstance = (row: Selectable<InstanceTable>): Instance => ({
  id: row.id,
  deploymentId: row.deployment_id,
  program: row.program,
  worker: row.worker,
  startedAt: row.started_at,
  ownerId: row.owner_id,
  memoryMb: row.memory_mb,
})

const selectOf = prepare<{ id: string }>()((db, { id }) =>
  db
    .selectFrom('instances')
    .select(['id', 'deployment_id', 'program', 'worker', 'started_at', 'owner_id', 'memory_mb'])
    .where('deployment_id', '=', id)
    .orderBy('started_at')
    .orderBy('id'),
)

/** The working processes of machines that are not heard of. What they ran may still run, but nobody reaches it. */
async function silentWorkers(db: Db): Promise<ReadonlySet<string>> {
  const now = databaseTime(db)
  const silent = await db
    .selectFrom('machines')
    .select('name')
    .where('role', '=', 'work')
    .where('heard_at', '<=', sql<number>`${now} - ${sql.lit(SILENT_MS)}`)
    .execute()
  return new Set(silent.flatMap(({ name }) => workerNames(name)))
}

export function createInstanceStore(db: Db): InstanceStore {
  return {
    async add({ id, deploymentId, program, worker, startedAt, ownerId, memoryMb }) {
      await db
        .insertInto('instances')
        .values({
          ...{ id, program, worker, deployment_id: deploymentId, started_at: startedAt },
          ...{ owner_id: ownerId, memory_mb: memoryMb },
        })
        .execute()
    },
    async remove(id) {
      await db.deleteFrom('instances').where('id', '=', id).execute()
    },
    async clear(worker) {
      await db.deleteFrom('instances').where('worker', '=', worker).execute()
    },
    async ofDeployment(deploymentId) {
      const rows = await selectOf(db, { id: deploymentId })
      const silent = await silentWorkers(db)
      return rows.filter(({ worker }) => !silent.has(worker)).map(toInstance)
    },
    async ofOwner(ownerId, exceptWorker = '') {
      const row = await db
        .selectFrom('instances')
        .select(({ fn }) => [
          fn.countAll<number>().as('count'),
          fn.sum<number | string | null>('memory_mb').as('memory'),
        ])
        .where('owner_id', '=', ownerId)
        .where('worker', 'not in', [exceptWorker, ...(await silentWorkers(db))])
        .executeTakeFirst()
      return { count: row?.count ?? 0, memoryMb: Number(row?.memory ?? 0) }
    },
    async counts(deploymentIds) {
      if (deploymentIds.length === 0) return new Map()
      const rows = await db
        .selectFrom('instances')
        .select(({ fn }) => ['deployment_id', fn.countAll<number>().as('count')])
        .where('deployment_id', 'in', deploymentIds)
        .where('worker', 'not in', ['', ...(await silentWorkers(db))])
        .groupBy('deployment_id')
        .execute()
      return new Map(rows.map(({ deployment_id, count }) => [deployment_id, count]))
    },
  }
}
