import type { SsoPassStore } from '#core/session/session.ts'
import type { Db } from '../tables.ts'

export function createSsoPassStore(db: Db): SsoPassStore {
  return {
    async add({ hash, host, userId, expiresAt }) {
      await db
        .insertInto('sso_passes')
        .values({ hash, host, user_id: userId, expires_at: expiresAt })
        .execute()
    },

    async take(hash, host, now) {
      // One statement: whoever's deletion finds the row has it.
      const [row] = await db
        .deleteFrom('sso_passes')
        .where('hash', '=', hash)
        .where('host', '=', host)
        .where('expires_at', '>', now)
        .returning(['user_id', 'expires_at'])
        .execute()
      return row && { hash, host, userId: row.user_id, expiresAt: row.expires_at }
    },

    async prune(now) {
      await db.deleteFrom('sso_passes').where('expires_at', '<=', now).execute()
    },
  }
}
