import { sql } from 'kysely'
import { MINUTE, SECOND } from '#contract/time.ts'
import type { Clock } from '#core/ports/clock.ts'
import type { Db } from '../tables.ts'
import { databaseTime } from './database-time.ts'

/**
 * The time of the database, which is the same for all machines. It is asked for now and then, and when the clock of this
 * machine was set or the machine slept; in between it is counted on.
 */
export function createDatabaseClock(db: Db, clock: Clock): () => Promise<number> {
  let known = { at: Number.NEGATIVE_INFINITY, offset: 0, shift: 0 }
  const shiftNow = () => clock.now() - clock.monotonic()
  return async () => {
    const isRecent = clock.monotonic() - known.at < MINUTE
    if (!isRecent || Math.abs(shiftNow() - known.shift) > SECOND) {
      const { rows } = await sql<{ now: number }>`select ${databaseTime(db)} as now`.execute(db)
      // From when the answer is here, so that it is never ahead: whoever is ahead takes what others still have.
      const at = clock.monotonic()
      known = { at, offset: Number(rows[0]?.now) - at, shift: shiftNow() }
    }
    return Math.round(clock.monotonic() + known.offset)
  }
}
