import type { Selectable } from 'kysely'
import type { AppStore, GitApp } from '#core/git/app/app.ts'
import { atomically } from '../database/transaction.ts'
import type { Db, GitConnectionTable } from '../tables.ts'

const APP = ['id', 'owner_id', 'details', 'created_at'] as const

/** What has no column of its own. */
type Details = Omit<GitApp, 'id' | 'ownerId' | 'createdAt'>

const toApp = (row: Selectable<GitConnectionTable>): GitApp => ({
  ...(JSON.parse(row.details) as Details),
  id: row.id,
  ownerId: row.owner_id,
  createdAt: row.created_at,
})

const detailsOf = ({ id, ownerId, createdAt, ...details }: GitApp): string =>
  JSON.stringify(details satisfies Details)

export function createAppStore(db: Db): AppStore {
  const byId = async (id: string, on = db) => {
    const row = await on.selectFrom('git_apps').select(APP).where('id', '=', id).executeTakeFirst()
    return row && toApp(row)
  }
  return {
    async add(app) {
      const { id, ownerId, createdAt } = app
      await db
        .insertInto('git_apps')
        .values({ id, owner_id: ownerId, created_at: createdAt, details: detailsOf(app) })
        .execute()
    },

    byId: (id) => byId(id),

    async list(ownerId) {
      const rows = await db
        .selectFrom('git_apps')
        .select(APP)
        .where('owner_id', '=', ownerId)
        .orderBy('created_at')
        .orderBy('id')
        .execute()
      return rows.map(toApp)
    },

    async claim(id, stateHash) {
      const found = await byId(id)
      if (found?.stateHash !== stateHash) return false
      // Of two at once, the second finds that it is not as it was.
      const { numUpdatedRows } = await db
        .updateTable('git_apps')
        .set({ details: detailsOf({ ...found, stateHash: null }) })
        .where('id', '=', id)
        .where('details', '=', detailsOf(found))
        .executeTakeFirst()
      return numUpdatedRows === 1n
    },

    update: (id, change) =>
      atomically(db, async (tx) => {
        const found = await byId(id, tx)
        if (!found) return false
        await tx
          .updateTable('git_apps')
          .set({ details: detailsOf({ ...found, ...change }) })
          .where('id', '=', id)
          .execute()
        return true
      }),

    async remove(ownerId, id) {
      const { numDeletedRows } = await db
        .deleteFrom('git_apps')
        .where('id', '=', id)
        .where('owner_id', '=', ownerId)
        .executeTakeFirst()
      return numDeletedRows === 1n
    },
  }
}
