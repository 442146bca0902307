import { type Selectable, sql } from 'kysely'
import type { AuditEntry } from '#core/audit/audit.ts'
import type { AuditStore } from '#core/audit/audit-store.ts'
import { knownLimit } from '../database/known-limit.ts'
import { readPage } from '../database/page.ts'
import { prepare } from '../database/prepare.ts'
import type { AuditTable, Db } from '../tables.ts'

const AUDIT = ['id', 'owner_id', 'user_id', 'action', 'details', 'created_at'] as const

/** What has no column of its own. */
type Details = Omit<AuditEntry, 'id' | 'ownerId' | 'userId' | 'action' | 'at'>

const toEntry = (row: Selectable<AuditTable>): AuditEntry => ({
  ...(JSON.parse(row.details) as Details),
  id: row.id,
  ownerId: row.owner_id,
  userId: row.user_id,
  action: row.action,
  at: row.created_at,
})

/** A part of every request that changes something, so it is built once. */
const insert = prepare<Selectable<AuditTable>>()((db, row) =>
  db.insertInto('audit').values({
    id: row.id,
    owner_id: row.owner_id,
    user_id: row.user_id,
    action: row.action,
    details: row.details,
    created_at: row.created_at,
  }),
)

export const createAuditStore = (db: Db): AuditStore => ({
  async add({ id, ownerId, userId, action, at, ...details }) {
    await insert(db, {
      id,
      owner_id: ownerId,
      user_id: userId,
      action,
      details: JSON.stringify(details satisfies Details),
      created_at: at,
    })
  },

  list: (ownerId, page, { userId, action }) =>
    readPage(page, {
      select: ({ before, after, limit }) => {
        let query = db
          .selectFrom('audit')
          .select(AUDIT)
          .where('owner_id', '=', ownerId)
          .where('created_at', '<', before)
          .where('created_at', '>', after)
        if (userId !== undefined) query = query.where('user_id', '=', userId)
        if (action !== undefined)
          query = query.where(sql<boolean>`substr(action, 1, ${sql.lit([...action].length)}) = ${action}`)
        return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit).execute()
      },
      timeOf: (row) => row.created_at,
      show: toEntry,
    }),

  async prune(before, limit) {
    const { numDeletedRows } = await db
      .deleteFrom('audit')
      .where('id', 'in', ({ selectFrom }) =>
        selectFrom('audit')
          .select('id')
          .where('created_at', '<', before)
          .orderBy('created_at')
          .limit(knownLimit(limit)),
      )
      .executeTakeFirst()
    return Number(numDeletedRows)
  },
})
