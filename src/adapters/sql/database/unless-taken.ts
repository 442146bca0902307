import { sql } from 'kysely'
import { AloftError } from '#contract/errors.ts'
import type { Db } from '../tables.ts'
import { isUniqueViolation } from './dialect/errors.ts'
import { atomically } from './transaction.ts'

const clashed = (error: unknown): boolean => error instanceof AloftError && isUniqueViolation(error.cause)

/**
 * Runs a change that may clash with a unique index, where no `on conflict` can be said. False when it
 * did: then it alone is undone, and the transaction it is a part of goes on.
 */
export const unlessTaken = (db: Db, change: (tx: Db) => Promise<unknown>): Promise<boolean> =>
  atomically(db, async (tx) => {
    await sql`savepoint unless_taken`.execute(tx)
    const done = await change(tx).then(
      () => true,
      async (error: unknown) => {
        if (!clashed(error)) throw error
        await sql`rollback to savepoint unless_taken`.execute(tx)
        return false
      },
    )
    await sql`release savepoint unless_taken`.execute(tx)
    return done
  })
