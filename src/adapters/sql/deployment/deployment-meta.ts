import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Deployment } from '#core/deployment/deployment.ts'
import { numberAt, rowsIn, textAt } from '../database/json-rows.ts'
import { prepare } from '../database/prepare.ts'
import type { Db } from '../tables.ts'

/** How far a pair's deployments are counted: far enough to tell a rare one from a common one. */
const COUNTED = 1000

const insertRows = prepare<{ rows: string }>()((db, { rows }) =>
  db
    .insertInto('deployment_meta')
    .columns(['owner_id', 'pair', 'created_at', 'deployment_id'])
    .expression((eb) =>
      eb
        .selectFrom(rowsIn(db, rows))
        .select([
          textAt(0).as('owner_id'),
          textAt(1).as('pair'),
          numberAt(2).as('created_at'),
          textAt(3).as('deployment_id'),
        ]),
    ),
)

const countPairs = prepare<{ ownerId: string; rows: string }>()((db, { ownerId, rows }) =>
  db.selectFrom(rowsIn(db, rows)).select([
    textAt(0).as('pair'),
    sql<number>`(
      select count(*) from (
        select 1 from deployment_meta
        where owner_id = ${ownerId} and pair = ${textAt(0)}
        limit ${sql.lit(COUNTED)}
      ) as few
    )`.as('count'),
  ]),
)

/** Each pair of a `meta` as it is looked up. */
export const pairsOf = (meta: Deployment['meta']): string[] =>
  Object.entries(meta).map((pair) => createHash('sha256').update(JSON.stringify(pair)).digest('base64url'))

export async function insertMeta(db: Db, { id, ownerId, createdAt, meta }: Deployment): Promise<void> {
  const pairs = pairsOf(meta)
  if (pairs.length === 0) return
  await insertRows(db, { rows: JSON.stringify(pairs.map((pair) => [ownerId, pair, createdAt, id])) })
}

/** The pair that leads to the fewest deployments, with which to begin a search for all of them. */
export async function rarest(db: Db, ownerId: string, pairs: readonly string[]): Promise<string | undefined> {
  if (pairs.length < 2) return pairs[0]
  const counts = await countPairs(db, { ownerId, rows: JSON.stringify(pairs.map((pair) => [pair])) })
  return counts.toSorted((a, b) => a.count - b.count)[0]?.pair
}
