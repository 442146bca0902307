import { setTimeout as sleep } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { Db } from '../tables.ts'
import { isRepeatable } from './dialect/errors.ts'

const ATTEMPTS = 5

/** A transaction of its own. Work that the database undid to let another transaction pass is done again. */
export async function inTransaction<Schema, T>(
  db: Kysely<Schema>,
  work: (tx: Kysely<Schema>) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().execute(work)
    } catch (error) {
      if (attempt === ATTEMPTS || !isRepeatable(error)) throw error
    }
    await sleep(Math.random() * 10 * 2 ** attempt)
  }
}

/** Several statements that count as one: in the caller's transaction, or else in one of their own. */
export const atomically = <T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T> =>
  db.isTransaction ? work(db) : inTransaction(db, work)
