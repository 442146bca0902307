import type { Selectable } from 'kysely'
import type { Instance } from '#core/instance/instance.ts'
import type { InstanceStore } from '#core/instance/instance-store.ts'
import { prepare } from './prepare.ts'
import type { Db, InstanceTable } from './tables.ts'

const toInstance = (row: Selectable<InstanceTable>): Instance => ({
  id: row.id,
  deploymentId: row.deployment_id,
  program: row.program,
  worker: row.worker,
  startedAt: row.started_at,
})

const selectOf = prepare<{ id: string }>()((db, { id }) =>
  db
    .selectFrom('instances')
    .select(['id', 'deployment_id', 'program', 'worker', 'started_at'])
    .where('deployment_id', '=', id)
    .orderBy('started_at')
    .orderBy('id'),
)

export function createInstanceStore(db: Db): InstanceStore {
  return {
    async add({ id, deploymentId, program, worker, startedAt }) {
      await db
        .insertInto('instances')
        .values({ id, deployment_id: deploymentId, program, worker, started_at: startedAt })
        .execute()
    },
    async remove(id) {
      await db.deleteFrom('instances').where('id', '=', id).execute()
    },
    async clear(worker) {
      await db.deleteFrom('instances').where('worker', '=', worker).execute()
    },
    ofDeployment: async (deploymentId) => (await selectOf(db, { id: deploymentId })).map(toInstance),
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
