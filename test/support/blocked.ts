import { sql } from 'kysely'
import type { TestStores } from './database/stores.ts'

/**
 * Resolves when somebody waits for a lock in the database, or when the work that should wait is over
 * already. The embedded database has one writer, and whoever waits for it does so outside.
 */
export async function untilBlocked({ database }: TestStores, work: Promise<unknown>): Promise<void> {
  if (database.kind === 'sqlite') return
  let over = false
  const end = () => {
    over = true
  }
  work.then(end, end)
  while (!over) {
    const { rows } = await sql<{ waiting: number }>`
      select count(*) as waiting from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(database.db)
    if (rows[0]?.waiting !== 0) return
  }
}
