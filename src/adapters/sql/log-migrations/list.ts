import type { Migration } from '../migrations/migration.ts'
import { logEntries } from './0001-log-entries.ts'
import { requestIds } from './0002-request-ids.ts'

/** In the order they are applied. */
export const LOG_MIGRATIONS: readonly Migration[] = [logEntries, requestIds]
