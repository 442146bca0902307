import type { GitObjectStore } from '#core/git/push-store.ts'
import { textsIn } from '../database/text-list.ts'
import type { Db } from '../tables.ts'

/** Rows of one statement. */
const STEP = 500

export const createGitObjectStore = (db: Db): GitObjectStore => ({
  async known(ownerId, oids) {
    if (oids.length === 0) return new Map()
    const rows = await db
      .selectFrom('git_objects')
      .select(['oid', 'sha1'])
      .where('owner_id', '=', ownerId)
      .where('oid', 'in', textsIn(db, JSON.stringify(oids)))
      .execute()
    return new Map(rows.map(({ oid, sha1 }) => [oid, sha1]))
  },

  async add(ownerId, objects) {
    const rows = [...objects].map(([oid, sha1]) => ({ owner_id: ownerId, oid, sha1 }))
    for (let start = 0; start < rows.length; start += STEP)
      await db
        .insertInto('git_objects')
        .values(rows.slice(start, start + STEP))
        .onConflict((conflict) =>
          conflict.columns(['owner_id', 'oid']).doUpdateSet((eb) => ({ sha1: eb.ref('excluded.sha1') })),
        )
        .execute()
  },
})
