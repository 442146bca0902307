import type { Log } from '#core/ports/log.ts'
import { isMarkedDamaged, markDamaged, setAside } from '../database/damaged-file.ts'
import { type Database, type DatabaseConfig, openSchema } from '../database/database.ts'
import { DamagedDatabase } from '../database/dialect/errors.ts'
import { LOG_MIGRATIONS } from './log-migrations/list.ts'
import type { LogTables } from './log-tables.ts'

/**
 * The logs of deployments. Embedded, they have a file of their own, so that whoever writes them keeps nobody
 * from writing anything else, and no commit waits for the disk: a power cut may take the last entries. A file that is
 * damaged is set aside and a new one begun: sites matter more than their logs.
 */
export async function openLogDatabase(config: DatabaseConfig, log?: Log): Promise<Database<LogTables>> {
  const { file, url } = config
  const database = await openSchema<LogTables>(config, {
    migrations: LOG_MIGRATIONS,
    history: 'aloft_log_migrations',
    durability: 'normal',
    canShrink: true,
    connections: 4,
    probe: (db) => db.selectFrom('log_entries').select('id').limit(1).execute(),
    // Others have it open: it is set aside at the next start.
    onDamage: (error) =>
      markDamaged(file, () => log?.error({ err: error }, 'the logs are damaged; a restart begins new ones')),
  })

  async function beginAnew(cause?: unknown): Promise<void> {
    const aside = await setAside(file)
    log?.error({ err: cause, aside }, 'the logs were damaged: they are set aside, and new ones begin')
  }

  return {
    ...database,
    async migrate() {
      if (url === undefined && isMarkedDamaged(file)) await beginAnew()
      try {
        return await database.migrate()
      } catch (error) {
        if (!(error instanceof DamagedDatabase)) throw error
        await beginAnew(error)
        return database.migrate()
      }
    },
  }
}
