import { type SelectQueryBuilder, sql } from 'kysely'
import type { LogStore } from '#core/log/log-store.ts'
import { firstSerialOf } from '#core/log/serial.ts'
import { appendEntries } from './log-append.ts'
import { readAfter, readEntries, readSerialBefore } from './log-read.ts'
import type { LogDb, LogTables } from './log-tables.ts'
import { readProjectEntries } from './project-log-read.ts'
import { inTransaction } from './transaction.ts'

/** The most rows deleted in one statement. */
const STEP = 1000

type Entries = SelectQueryBuilder<LogTables, 'log_entries', object>

/** Deletes the oldest of these, and tells how many. */
async function deleteOldest(db: LogDb, entries: Entries, limit: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('log_entries')
    .where('serial', 'in', entries.select('serial').orderBy('serial').limit(limit))
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

export function createLogStore(db: LogDb): LogStore {
  const entries = db.selectFrom('log_entries')
  return {
    async append(batch) {
      if (batch.length > 0) await inTransaction(db, (tx) => appendEntries(tx, batch))
    },

    read: (deploymentId, query) => readEntries(db, deploymentId, query),

    readProject: (projectId, query) => readProjectEntries(db, projectId, query),

    after: (serial, limit) => readAfter(db, serial, limit),

    serialBefore: (newest, after) => readSerialBefore(db, newest, after),

    prune: (createdBefore, limit) =>
      deleteOldest(
        db,
        entries
          .where('info_type', '<>', sql.lit('build'))
          .where('serial', '<', String(firstSerialOf(createdBefore))),
        limit,
      ),

    async deleteFor(deploymentIds) {
      for (const id of deploymentIds)
        while ((await deleteOldest(db, entries.where('deployment_id', '=', id), STEP)) === STEP)
          await new Promise(setImmediate)
    },
  }
}
