import type { Migration } from '../../migrations/migration.ts'
import { logEntries } from './0001-log-entries.ts'
import { requestIds } from './0002-request-ids.ts'
import { projectLogs } from './0020-project-logs.ts'
import { traffic } from './0021-traffic.ts'
import { logBlocks } from './0022-log-blocks.ts'
import { trafficTables } from './0023-traffic-tables.ts'

/** In the order they are applied. */
export const LOG_MIGRATIONS: readonly Migration[] = [
  logEntries,
  requestIds,
  projectLogs,
  traffic,
  logBlocks,
  trafficTables,
]
