import { type Database, type DatabaseConfig, openSchema } from './database.ts'
import { LOG_MIGRATIONS } from './log-migrations/list.ts'
import type { LogTables } from './log-tables.ts'

/**
 * The logs of deployments. Embedded, they have a file of their own, so that whoever writes them keeps nobody
 * from writing anything else, and no commit waits for the disk: a power cut may take the last entries.
 */
export const openLogDatabase = (config: DatabaseConfig): Promise<Database<LogTables>> =>
  openSchema<LogTables>(config, {
    migrations: LOG_MIGRATIONS,
    history: 'aloft_log_migrations',
    durability: 'normal',
    canShrink: true,
    connections: 4,
    probe: (db) => db.selectFrom('log_entries').select('id').limit(1).execute(),
  })
