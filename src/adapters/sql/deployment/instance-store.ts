import type { Selectable } from 'kysely'
import type { Instance } from '#core/instance/instance.ts'
import type { InstanceStore } from '#core/instance/instance-store.ts'
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

const selectOwned = prepare<{ ownerId: string; exceptWorker: string }>()((db, { ownerId, exceptWorker }) =>
  db
    .selectFrom('instances')
    .select(({ fn }) => [
      fn.countAll<number>().as('count'),
      fn.sum<number | string | null>('memory_mb').as('memory'),
    ])
    .where('owner_id', '=', ownerId)
    .where('worker', '!=', exceptWorker),
)

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
    ofDeployment: async (deploymentId) => (await selectOf(db, { id: deploymentId })).map(toInstance),
    async ofOwner(ownerId, exceptWorker = '') {
      const [row] = await selectOwned(db, { ownerId, exceptWorker })
      return { count: Number(row?.count ?? 0), memoryMb: Number(row?.memory ?? 0) }
    },
    async counts(deploymentIds) {
      if (deploymentIds.length === 0) return new Map()
      const rows = await db
        .selectFrom('instances')
        .select(({ fn }) => ['deployment_id', fn.countAll<number>().as('count')])
        .where('deployment_id', 'in', deploymentIds)
        .groupBy('deployment_id')
        .execute()
      return new Map(rows.map(({ deployment_id, count }) => [deployment_id, Number(count)]))
    },
  }
}
