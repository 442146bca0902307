import type { GitObjectStore } from '#core/git/push/push-store.ts'
import { areOf } from '../database/text-list.ts'
import type { Db } from '../tables.ts'

/** Rows of one statement. */
const STEP = 500

export const createGitObjectStore = (db: Db): GitObjectStore => ({
  async known(ownerId, oids) {
    if (oids.length === 0) return new Map()
    const rows = await db
      .selectFrom('git_objects')
      .select(['oid', 'sha1'])
      .where(areOf(db, ownerId, 'oid', JSON.stringify(oids)))
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

  async prune(after, limit) {
    const rows = await db
      .selectFrom('git_objects')
      .leftJoin('files', (join) =>
        join
          .onRef('files.owner_id', '=', 'git_objects.owner_id')
          .onRef('files.sha1', '=', 'git_objects.sha1'),
      )
      .select(['git_objects.owner_id', 'oid', 'files.sha1 as had'])
      .where((eb) =>
        eb(
          eb.refTuple('git_objects.owner_id', 'git_objects.oid'),
          '>',
          eb.tuple(after?.ownerId ?? '', after?.oid ?? ''),
        ),
      )
      .orderBy('git_objects.owner_id')
      .orderBy('oid')
      .limit(limit)
      .execute()
    const gone = Map.groupBy(
      rows.filter(({ had }) => had === null),
      (row) => row.owner_id,
    )
    // One that comes back just now is only looked up anew: what is forgotten here is nobody's content.
    for (const [ownerId, objects] of gone)
      await db
        .deleteFrom('git_objects')
        .where(areOf(db, ownerId, 'oid', JSON.stringify(objects.map(({ oid }) => oid))))
        .execute()
    const last = rows.at(-1)
    return last && rows.length === limit ? { ownerId: last.owner_id, oid: last.oid } : undefined
  },
})
