import { type Kysely, sql } from 'kysely'
import {
  METERED,
  type MeteredUsage,
  type StoredItem,
  type UsageEntry,
  type UsageStore,
} from '#core/usage/usage-store.ts'
import { prepare } from '../database/prepare.ts'
import { atomically } from '../database/transaction.ts'
import type { Db } from '../tables.ts'

const selectUsed = prepare<{ ownerId: string; what: string; period: string }>()(
  (db, { ownerId, what, period }) =>
    db
      .selectFrom('usage')
      .select(({ fn }) => fn.sum<number | string | null>('amount').as('used'))
      .where('owner_id', '=', ownerId)
      .where('what', '=', what as MeteredUsage)
      .where('period', '=', period),
)

const insertOne = prepare<{ ownerId: string; what: string; period: string; amount: number }>()(
  (db, { ownerId, what, period, amount }) =>
    db
      .insertInto('usage')
      .values({ owner_id: ownerId, what: what as MeteredUsage, period, amount, fresh: sql.lit(1) }),
)

/** Each by an index that begins with whose they are. */
const rowsOf =
  (
    table:
      | 'projects'
      | 'domains'
      | 'certificates'
      | 'secrets'
      | 'hosts'
      | 'team_members'
      | 'teams'
      | 'tokens',
    column: 'owner_id' | 'team_id' | 'creator_id' | 'user_id',
  ) =>
  // Every table has its column, which the types cannot know of all at once.
  (db: Db, ownerId: string) =>
    (db as unknown as Kysely<Record<typeof table, Record<typeof column, string>>>)
      .selectFrom(table)
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where(column, '=', ownerId)

const HELD_ROWS = {
  projects: rowsOf('projects', 'owner_id'),
  // Also the default ones of projects that have no deployment left: nobody else can have the name.
  aliases: (db, ownerId) =>
    rowsOf('hosts', 'owner_id')(db, ownerId).where(sql.ref('alias_id'), 'is not', null),
  domains: rowsOf('domains', 'owner_id'),
  certificates: rowsOf('certificates', 'owner_id'),
  secrets: rowsOf('secrets', 'owner_id'),
  members: rowsOf('team_members', 'team_id'),
  teams: rowsOf('teams', 'creator_id'),
  tokens: (db, ownerId) =>
    rowsOf('tokens', 'user_id')(db, ownerId).where(sql.ref('kind'), '=', sql.lit('account')),
} as const satisfies Record<StoredItem, ReturnType<typeof rowsOf>>

/** Inside the transaction that changes what is counted. */
export async function countUsage(tx: Db, entries: readonly UsageEntry[]): Promise<void> {
  const counted = entries.filter(({ amount }) => amount !== 0)
  const [first] = counted
  if (first === undefined) return
  if (counted.length === 1) {
    const { ownerId, what, period, amount } = first
    await insertOne(tx, { ownerId, what, period, amount })
    return
  }
  await tx
    .insertInto('usage')
    .values(
      counted.map(({ ownerId, what, period, amount }) => ({
        ...{ owner_id: ownerId, what, period, amount, fresh: 1 as const },
      })),
    )
    .execute()
}

/** So many deployments more, or fewer. */
export const deploymentCount = (ownerId: string, amount: number): UsageEntry => ({
  ...{ ownerId, what: 'deployments' as const, period: '', amount },
})

/** Rows that were written meanwhile are not among those that are deleted, so no sum ever changes. */
const compactOne = (db: Db, key: { owner_id: string; what: MeteredUsage; period: string }) =>
  atomically(db, async (tx) => {
    const rows = await tx
      .deleteFrom('usage')
      .where('owner_id', '=', key.owner_id)
      .where('what', '=', key.what)
      .where('period', '=', key.period)
      .returning('amount')
      .execute()
    const amount = rows.reduce((sum, row) => sum + row.amount, 0)
    if (amount !== 0)
      await tx
        .insertInto('usage')
        .values({ ...key, amount, fresh: 0 })
        .execute()
  })

export const createUsageStore = (db: Db): UsageStore => ({
  add: (entries) => countUsage(db, entries),

  async used(ownerId, what, period) {
    const [row] = await selectUsed(db, { ownerId, what, period })
    // The sum of a bigint is text on PostgreSQL.
    return Math.max(0, Number(row?.used ?? 0))
  },

  async held(ownerId, what) {
    const { count } = await HELD_ROWS[what](db, ownerId).executeTakeFirstOrThrow()
    return count
  },

  async compact(limit) {
    const keys = await db
      .selectFrom('usage')
      .select(['owner_id', 'what', 'period'])
      .distinct()
      .where('fresh', '=', sql.lit(1))
      .limit(limit)
      .execute()
    for (const key of keys) await compactOne(db, key)
    return keys.length
  },

  async prune(before) {
    await db
      .deleteFrom('usage')
      // In the words of the index; each of these has days, or months, or neither.
      .where('period', '!=', sql.lit(''))
      .where('period', '<', before)
      .where(sql<number>`length(period)`, '=', before.length)
      .where('what', 'in', [...METERED])
      .execute()
  },
})
