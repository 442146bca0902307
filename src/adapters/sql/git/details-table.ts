import { changedOne } from '../database/changed-one.ts'
import { locksRows } from '../database/dialect/capabilities.ts'
import { atomically } from '../database/transaction.ts'
import type { Db } from '../tables.ts'

interface Owned {
  readonly id: string
  readonly ownerId: string
  readonly createdAt: number
}

/** What has no column of its own. */
export type DetailsOf<T extends Owned> = Omit<T, keyof Owned>

const COLUMNS = ['id', 'owner_id', 'details', 'created_at'] as const

const detailsOf = <T extends Owned>({ id, ownerId, createdAt, ...details }: T): string =>
  JSON.stringify(details)

/** A table of things of an account, of which all but their id, owner and age is one text in JSON. */
export function createDetailsTable<T extends Owned>(
  db: Db,
  table: 'git_apps' | 'git_connections',
  read: (details: string) => DetailsOf<T>,
) {
  const toThing = (row: { id: string; owner_id: string; details: string; created_at: number }): T =>
    ({ ...read(row.details), id: row.id, ownerId: row.owner_id, createdAt: row.created_at }) as T

  const byId = async (id: string): Promise<T | undefined> => {
    const row = await db.selectFrom(table).select(COLUMNS).where('id', '=', id).executeTakeFirst()
    return row && toThing(row)
  }

  return {
    byId,

    async add(thing: T): Promise<void> {
      const { id, ownerId, createdAt } = thing
      await db
        .insertInto(table)
        .values({ id, owner_id: ownerId, created_at: createdAt, details: detailsOf(thing) })
        .execute()
    },

    async list(ownerId: string): Promise<readonly T[]> {
      const rows = await db
        .selectFrom(table)
        .select(COLUMNS)
        .where('owner_id', '=', ownerId)
        .orderBy('created_at')
        .orderBy('id')
        .execute()
      return rows.map(toThing)
    },

    update: (id: string, change: Partial<T>): Promise<boolean> =>
      atomically(db, async (tx) => {
        // Of two who change different things at once, neither undoes what the other did.
        const row = await tx
          .selectFrom(table)
          .select(COLUMNS)
          .where('id', '=', id)
          .$if(locksRows(tx), (query) => query.forUpdate())
          .executeTakeFirst()
        if (!row) return false
        const found = toThing(row)
        await tx
          .updateTable(table)
          .set({ details: detailsOf({ ...found, ...change }) })
          .where('id', '=', id)
          .execute()
        return true
      }),

    /** Whether it was as it was found: of two at once, the second finds that it is not. */
    async replace(found: T, change: Partial<T>): Promise<boolean> {
      return changedOne(
        db
          .updateTable(table)
          .set({ details: detailsOf({ ...found, ...change }) })
          .where('id', '=', found.id)
          .where('details', '=', detailsOf(found)),
      )
    },

    async remove(ownerId: string, id: string): Promise<boolean> {
      return changedOne(db.deleteFrom(table).where('id', '=', id).where('owner_id', '=', ownerId))
    },
  }
}
