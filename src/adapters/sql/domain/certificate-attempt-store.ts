import { sql } from 'kysely'
import type { AttemptStore } from '#core/certificate/certificate-store.ts'
import { PLATFORM } from '#core/certificate/issue/platform-certificates.ts'
import { changedOne } from '../database/changed-one.ts'
import { prepare } from '../database/prepare.ts'
import type { Db } from '../tables.ts'

const selectByHost = prepare<{ host: string }>()((db, { host }) =>
  db
    .selectFrom('certificate_attempts')
    .select(['host', 'domain', 'failures', 'at', 'retry_at', 'error'])
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
const selectDue = prepare<{ now: number; limit: number }>()((db, { now, limit }) =>
  db
    .selectFrom('certificate_attempts')
    .select('host')
    // Said as the index says it, or SQLite would not use it.
    .where(sql<boolean>`failures > 0`)
    .where('retry_at', '<=', now)
    // Those of the platform wait for a visitor, and would fill up what is found at a time.
    .where('domain', '<>', PLATFORM)
    .orderBy('retry_at')
    .limit(limit),
)
const selectAliases = prepare<{ createdAt: number; host: string; limit: number }>()(
  (db, { createdAt, host, limit }) =>
    db
      .selectFrom('hosts')
      .select(['created_at', 'host'])
      .where('alias_id', 'is not', null)
      .where((eb) => eb(eb.refTuple('created_at', 'host'), '>', eb.tuple(createdAt, host)))
      .orderBy('created_at')
      .orderBy('host')
      .limit(limit),
)
const selectDomains = prepare<{ updatedAt: number; name: string; limit: number }>()(
  (db, { updatedAt, name, limit }) =>
    db
      .selectFrom('project_domains')
      .select(['updated_at', 'name'])
      .where('verified', '=', sql.lit(1))
      .where((eb) => eb(eb.refTuple('updated_at', 'name'), '>', eb.tuple(updatedAt, name)))
      .orderBy('updated_at')
      .orderBy('name')
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

    async begin({ host, retryAt, ...rest }, last) {
      const row = { ...rest, retry_at: retryAt }
      return changedOne(
        db
          .insertInto('certificate_attempts')
          .values({ host, ...row })
          .onConflict((conflict) =>
            last === undefined
              ? conflict.column('host').doNothing()
              : conflict
                  .column('host')
                  .doUpdateSet(row)
                  .where('certificate_attempts.at', '=', last.at)
                  .where('certificate_attempts.retry_at', '=', last.retryAt),
          ),
      )
    },

    count: async (domain, since, limit) => (await selectSince(db, { domain, since, limit })).length,

    async remove(host) {
      await db.deleteFrom('certificate_attempts').where('host', '=', host).execute()
    },

    due: async (now, limit) => (await selectDue(db, { now, limit })).map(({ host }) => host),

    aliasesAfter: async ({ createdAt, host }, limit) =>
      (await selectAliases(db, { createdAt, host, limit })).map((row) => ({
        createdAt: row.created_at,
        host: row.host,
      })),

    domainsAfter: async ({ createdAt, host }, limit) =>
      (await selectDomains(db, { updatedAt: createdAt, name: host, limit })).map((row) => ({
        createdAt: row.updated_at,
        host: row.name,
      })),

    async prune(before) {
      await db.deleteFrom('certificate_attempts').where('at', '<', before).where('failures', '=', 0).execute()
    },
  }
}
