import { sql } from 'kysely'
import { isPostgres } from '../../database/dialect/is-postgres.ts'
import type { Migration } from '../../migrations/migration.ts'

export const logEntries: Migration = {
  name: '0001-log-entries',
  async up(db) {
    const { schema } = db
    await schema
      .createTable('log_entries')
      // The embedded database keeps rows in the order of a key of exactly this type; both hold 64 bits.
      .addColumn('serial', isPostgres(db) ? 'bigint' : 'integer', (column) => column.primaryKey().notNull())
      .addColumn('id', 'text', (column) => column.notNull().unique())
      .addColumn('deployment_id', 'text', (column) => column.notNull())
      .addColumn('type', 'text', (column) => column.notNull())
      .addColumn('at', 'bigint', (column) => column.notNull())
      .addColumn('text', 'text', (column) => column.notNull())
      .addColumn('info_type', 'text', (column) => column.notNull())
      .addColumn('info_name', 'text', (column) => column.notNull())
      .addColumn('entrypoint', 'text', (column) => column.notNull())
      .addColumn('region', 'text', (column) => column.notNull())
      .addColumn('instance_id', 'text')
      .addColumn('status', 'integer')
      .addColumn('request', 'text')
      .execute()
    await schema
      .createIndex('log_entries_deployment')
      .on('log_entries')
      .columns(['deployment_id', 'serial'])
      .execute()
    await schema
      .createIndex('log_entries_build')
      .on('log_entries')
      .columns(['deployment_id', 'serial'])
      .where(sql.ref('info_type'), '=', sql.lit('build'))
      .execute()
    // What is pruned by age must be found without a walk over all the build output, which is not.
    await schema
      .createIndex('log_entries_runtime')
      .on('log_entries')
      .column('serial')
      .where(sql.ref('info_type'), '<>', sql.lit('build'))
      .execute()
  },
}
