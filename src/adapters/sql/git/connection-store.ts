import type { Selectable } from 'kysely'
import type { ConnectionStore, GitConnection } from '#core/git/connection.ts'
import { atomically } from '../database/transaction.ts'
import type { Db, GitConnectionTable } from '../tables.ts'

const CONNECTION = ['id', 'owner_id', 'details', 'created_at'] as const

/** What has no column of its own. */
type Details = Omit<GitConnection, 'id' | 'ownerId' | 'createdAt'>
type LaterOn = 'app'

const toConnection = (row: Selectable<GitConnectionTable>): GitConnection => ({
  // Those that were connected before there were apps have none.
  app: null,
  ...(JSON.parse(row.details) as Omit<Details, LaterOn> & Partial<Pick<Details, LaterOn>>),
  id: row.id,
  ownerId: row.owner_id,
  createdAt: row.created_at,
})

const detailsOf = ({ id, ownerId, createdAt, ...details }: GitConnection): string =>
  JSON.stringify(details satisfies Details)

export function createConnectionStore(db: Db): ConnectionStore {
  const byId = async (id: string, on = db) => {
    const row = await on
      .selectFrom('git_connections')
      .select(CONNECTION)
      .where('id', '=', id)
      .executeTakeFirst()
    return row && toConnection(row)
  }
  return {
    async add(connection) {
      const { id, ownerId, createdAt } = connection
      await db
        .insertInto('git_connections')
        .values({ id, owner_id: ownerId, created_at: createdAt, details: detailsOf(connection) })
        .execute()
    },

    async find(ownerId, id) {
      const found = await byId(id)
      return found?.ownerId === ownerId ? found : undefined
    },

    byId: (id) => byId(id),

    async list(ownerId) {
      const rows = await db
        .selectFrom('git_connections')
        .select(CONNECTION)
        .where('owner_id', '=', ownerId)
        .orderBy('created_at')
        .orderBy('id')
        .execute()
      return rows.map(toConnection)
    },

    update: (id, change) =>
      atomically(db, async (tx) => {
        const found = await byId(id, tx)
        if (!found) return false
        await tx
          .updateTable('git_connections')
          .set({ details: detailsOf({ ...found, ...change }) })
          .where('id', '=', id)
          .execute()
        return true
      }),

    async remove(ownerId, id) {
      const { numDeletedRows } = await db
        .deleteFrom('git_connections')
        .where('id', '=', id)
        .where('owner_id', '=', ownerId)
        .executeTakeFirst()
      return numDeletedRows === 1n
    },
  }
}
