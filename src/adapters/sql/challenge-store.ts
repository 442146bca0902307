import type { Challenge, ChallengeStore } from '#core/certificate/challenge.ts'
import { prepare } from './prepare.ts'
import type { Db } from './tables.ts'

const selectByHost = prepare<{ kind: Challenge['kind']; host: string; now: number }>()(
  (db, { kind, host, now }) =>
    db
      .selectFrom('challenges')
      .select(['kind', 'host', 'token', 'value', 'expires_at'])
      .where('host', '=', host)
      .where('kind', '=', kind)
      .where('expires_at', '>', now)
      .orderBy('token'),
)

export function createChallengeStore(db: Db): ChallengeStore {
  return {
    async put({ kind, host, token, value, expiresAt }) {
      const content = { value, expires_at: expiresAt }
      await db
        .insertInto('challenges')
        .values({ kind, host: host.toLowerCase(), token, ...content })
        .onConflict((conflict) => conflict.columns(['host', 'kind', 'token']).doUpdateSet(content))
        .execute()
    },

    find: async (kind, host, now) =>
      (await selectByHost(db, { kind, host: host.toLowerCase(), now })).map(
        ({ expires_at, ...challenge }) => ({ ...challenge, expiresAt: expires_at }),
      ),

    async remove({ kind, host, token }) {
      await db
        .deleteFrom('challenges')
        .where('host', '=', host.toLowerCase())
        .where('kind', '=', kind)
        .where('token', '=', token)
        .execute()
    },

    async prune(now) {
      await db.deleteFrom('challenges').where('expires_at', '<=', now).execute()
    },
  }
}
