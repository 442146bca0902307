import type { Session } from '#core/session/session.ts'
import type { SessionStore } from '#core/session/session-store.ts'
import { changedOne } from '../database/changed-one.ts'
import { prepare } from '../database/prepare.ts'
import type { Db } from '../tables.ts'
import { toUser, USER } from './user-row.ts'

/** Named so that a user's columns can stand beside them. */
const SESSION = [
  'sessions.id as session_id',
  'sessions.user_id',
  'sessions.details',
  'sessions.created_at as session_created_at',
  'sessions.expires_at',
] as const

interface SessionRow {
  readonly session_id: string
  readonly user_id: string
  readonly details: string
  readonly session_created_at: number
  readonly expires_at: number
}

type Details = Pick<Session, 'userAgent' | 'ip'>

const toSession = (row: SessionRow): Session => {
  const { userAgent, ip } = JSON.parse(row.details) as Details
  return {
    id: row.session_id,
    userId: row.user_id,
    createdAt: row.session_created_at,
    expiresAt: row.expires_at,
    userAgent,
    ip,
  }
}

const selectByHash = prepare<{ hash: string }>()((db, { hash }) =>
  db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select(SESSION)
    .select(USER)
    .where('sessions.hash', '=', hash),
)
const selectOf = prepare<{ userId: string; now: number; limit: number }>()((db, { userId, now, limit }) =>
  db
    .selectFrom('sessions')
    .select(SESSION)
    .where('user_id', '=', userId)
    .where('expires_at', '>', now)
    .orderBy('created_at', 'desc')
    .limit(limit),
)

export function createSessionStore(db: Db): SessionStore {
  return {
    async insert({ id, userId, createdAt, expiresAt, userAgent, ip }, hash) {
      await db
        .insertInto('sessions')
        .values({
          id,
          hash,
          user_id: userId,
          details: JSON.stringify({ userAgent, ip } satisfies Details),
          created_at: createdAt,
          expires_at: expiresAt,
        })
        .execute()
    },

    async byHash(hash) {
      const [row] = await selectByHash(db, { hash })
      return row && { session: toSession(row), user: toUser(row) }
    },

    list: async (userId, now, limit) => (await selectOf(db, { userId, now, limit })).map(toSession),

    async extend(id, expiresAt) {
      await db
        .updateTable('sessions')
        .set({ expires_at: expiresAt })
        .where('id', '=', id)
        .where('expires_at', '<', expiresAt)
        .execute()
    },

    delete: (userId, id) =>
      changedOne(db.deleteFrom('sessions').where('id', '=', id).where('user_id', '=', userId)),

    async deleteOthers(userId, keptId) {
      const { numDeletedRows } = await db
        .deleteFrom('sessions')
        .where('user_id', '=', userId)
        .where('id', '!=', keptId)
        .executeTakeFirstOrThrow()
      return Number(numDeletedRows)
    },

    async prune(now) {
      await db.deleteFrom('sessions').where('expires_at', '<=', now).execute()
    },
  }
}
