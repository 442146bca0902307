import type { Challenge, ChallengeStore } from '#core/certificate/challenge.ts'
import { CHALLENGES_OF_ALL, countZoneChange } from '../change/zone-changes.ts'
import { prepare } from '../database/prepare.ts'
import { atomically } from '../database/transaction.ts'
import type { Db } from '../tables.ts'

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

/** What DNS answers with grows its serial when it changes. */
const countFor = async (tx: Db, changed: readonly Pick<Challenge, 'kind'>[]): Promise<void> => {
  if (changed.some(({ kind }) => kind === 'dns-01')) await countZoneChange(tx, CHALLENGES_OF_ALL)
}

export function createChallengeStore(db: Db): ChallengeStore {
  return {
    put: ({ kind, host, token, value, expiresAt }) =>
      atomically(db, async (tx) => {
        const content = { value, expires_at: expiresAt }
        await tx
          .insertInto('challenges')
          .values({ kind, host: host.toLowerCase(), token, ...content })
          .onConflict((conflict) => conflict.columns(['host', 'kind', 'token']).doUpdateSet(content))
          .execute()
        await countFor(tx, [{ kind }])
      }),

    find: async (kind, host, now) =>
      (await selectByHost(db, { kind, host: host.toLowerCase(), now })).map(
        ({ expires_at, ...challenge }) => ({ ...challenge, expiresAt: expires_at }),
      ),

    remove: ({ kind, host, token }) =>
      atomically(db, async (tx) => {
        const gone = await tx
          .deleteFrom('challenges')
          .where('host', '=', host.toLowerCase())
          .where('kind', '=', kind)
          .where('token', '=', token)
          .returning('kind')
          .execute()
        await countFor(tx, gone)
      }),

    prune: (now) =>
      atomically(db, async (tx) => {
        const gone = await tx
          .deleteFrom('challenges')
          .where('expires_at', '<=', now)
          .returning('kind')
          .execute()
        await countFor(tx, gone)
      }),
  }
}
