import { sql } from 'kysely'
import { isPostgres } from '../../database/dialect/is-postgres.ts'
import type { Migration } from '../../migrations/migration.ts'

/**
 * Visits and what programs wrote, many in a row. Build output stays in rows of its own, and so does what was written
 * before this step, until it is pruned some days later.
 */
export const logBlocks: Migration = {
  name: '0022-log-blocks',
  async up(db) {
    const { schema } = db
    const wide = isPostgres(db) ? 'bigint' : 'integer'
    await schema
      .createTable('log_blocks')
      .addColumn('last_serial', wide, (column) => column.primaryKey().notNull())
      .addColumn('first_serial', wide, (column) => column.notNull())
      .addColumn('id', 'text', (column) => column.notNull().unique())
      .addColumn('deployment_id', 'text', (column) => column.notNull())
      .addColumn('project_id', 'text')
      .addColumn('entries', 'integer', (column) => column.notNull())
      .addColumn('status_from', 'integer')
      .addColumn('status_to', 'integer')
      .addColumn('has_errors', 'integer', (column) => column.notNull())
      .addColumn('bytes', 'integer', (column) => column.notNull())
      // Last, so that the rest of a row is read without it.
      .addColumn('body', isPostgres(db) ? 'bytea' : 'blob', (column) => column.notNull())
      .execute()
    await schema
      .createIndex('log_blocks_deployment')
      .on('log_blocks')
      .columns(['deployment_id', 'last_serial'])
      .execute()
    await schema
      .createIndex('log_blocks_project')
      .on('log_blocks')
      .columns(['project_id', 'last_serial'])
      .where(sql.ref('project_id'), 'is not', null)
      .execute()
    // It is compressed already.
    if (isPostgres(db)) await sql`alter table log_blocks alter column body set storage external`.execute(db)
  },
}
