import type { Migration } from './migration.ts'

/** How far each log drain has come, and who is sending it. */
export const drains: Migration = {
  name: '0015-drains',
  async up({ schema }) {
    await schema
      .createTable('drain_cursors')
      .addColumn('drain_id', 'text', (column) =>
        column.primaryKey().notNull().references('drains.id').onDelete('cascade'),
      )
      /** A serial of the log, as text: it is beyond what JavaScript's numbers hold exactly. */
      .addColumn('position', 'text', (column) => column.notNull())
      .addColumn('gap', 'text')
      .addColumn('worker', 'text')
      .addColumn('lease_until', 'bigint', (column) => column.notNull())
      .execute()
    await schema.createIndex('drain_cursors_worker').on('drain_cursors').column('worker').execute()
    await schema.createIndex('drains_status').on('drains').column('status').execute()
    await schema
      .createIndex('audit_user')
      .on('audit')
      .columns(['owner_id', 'user_id', 'created_at', 'id'])
      .execute()
  },
}
