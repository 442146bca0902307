import { sql } from 'kysely'
import type { Locks } from '#core/ports/locks.ts'
import type { Db } from '../tables.ts'
import { locksRows } from './dialect/capabilities.ts'

/** Locks of two numbers never meet those of one, as that of the logs. */
const OURS = 414_105_468

export const createLocks = (db: Db): Locks => ({
  async take(kind, of) {
    if (!locksRows(db)) return
    // Two that have the same number wait for each other without need, and nothing else.
    await sql`select pg_advisory_xact_lock(${sql.lit(OURS)}, hashtext(${`${kind} ${of}`}))`.execute(db)
  },
})
