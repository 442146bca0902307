import type { AttemptStore } from '#core/certificate/certificate-store.ts'
import { prepare } from './prepare.ts'
import type { Db } from './tables.ts'

const selectByHost = prepare<{ host: string }>()((db, { host }) =>
  db
    .selectFrom('certificate_attempts')
    .select(['host', 'domain', 'failures', 'at', 'retry_at'])
    .where('host', '=', host),
)
const selectSince = prepare<{ domain: string; since: number; limit: number }>()(
  (db, { domain, since, limit }) =>
    db
      .selectFrom('certificate_attempts')
      .select('at')
      .where('domain', '=', domain)
      .where('at', '>', since)
      .limit(limit),
)

export function createAttemptStore(db: Db): AttemptStore {
  return {
    async find(host) {
      const [row] = await selectByHost(db, { host })
      if (!row) return undefined
      const { retry_at, ...attempt } = row
      return { ...attempt, retryAt: retry_at }
    },

    async save({ host, retryAt, ...rest }) {
      const row = { ...rest, retry_at: retryAt }
      await db
        .insertInto('certificate_attempts')
        .values({ host, ...row })
        .onConflict((conflict) => conflict.column('host').doUpdateSet(row))
        .execute()
    },

    count: async (domain, since, limit) => (await selectSince(db, { domain, since, limit })).length,

    async prune(before) {
      await db.deleteFrom('certificate_attempts').where('at', '<', before).execute()
    },
  }
}
