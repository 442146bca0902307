import { EVERYTHING } from '#core/site/revalidation.ts'
import type { RevalidationStore } from '#core/site/revalidation-store.ts'
import { prepare } from '../database/prepare.ts'
import { atomically } from '../database/transaction.ts'
import type { Db } from '../tables.ts'
import { holdDeployment } from './hold-deployment.ts'

const selectOf = prepare<{ id: string }>()((db, { id }) =>
  db.selectFrom('revalidations').select(['tag', 'at', 'expire']).where('deployment_id', '=', id),
)

export function createRevalidationStore(db: Db): RevalidationStore {
  return {
    add: (deploymentId, { tags, at, expire }) =>
      atomically(db, async (tx) => {
        const named = [...new Set(tags)]
        if (named.length === 0 || !(await holdDeployment(tx, deploymentId))) return
        const change = { at, expire: expire ?? null }
        const rows = named.map((tag) => ({
          ...{
            deployment_id: deploymentId,
            tag,
            is_soft: expire === undefined ? (0 as const) : (1 as const),
          },
          ...change,
        }))
        await tx
          .insertInto('revalidations')
          .values(rows)
          .onConflict((conflict) =>
            conflict
              .columns(['deployment_id', 'tag', 'is_soft'])
              .doUpdateSet(change)
              .where('revalidations.at', '<=', at),
          )
          .execute()
      }),
    async of(deploymentId) {
      const rows = await selectOf(db, { id: deploymentId })
      return rows.map(({ tag, at, expire }) => ({
        ...{ tags: [tag], at },
        ...(expire === null ? {} : { expire }),
      }))
    },
    join: (deploymentId, until) =>
      atomically(db, async (tx) => {
        if (!(await holdDeployment(tx, deploymentId))) return
        const all = {
          deployment_id: deploymentId,
          tag: EVERYTHING,
          is_soft: 0 as const,
          at: until,
          expire: null,
        }
        await tx
          .deleteFrom('revalidations')
          .where('deployment_id', '=', deploymentId)
          .where('at', '<=', until)
          .execute()
        await tx
          .insertInto('revalidations')
          .values(all)
          // One that was joined at the same time, up to an earlier time, was not seen above.
          .onConflict((conflict) =>
            conflict
              .columns(['deployment_id', 'tag', 'is_soft'])
              .doUpdateSet({ at: until })
              .where('revalidations.at', '<', until),
          )
          .execute()
      }),
    async forget(deploymentId) {
      await db.deleteFrom('revalidations').where('deployment_id', '=', deploymentId).execute()
    },
  }
}
