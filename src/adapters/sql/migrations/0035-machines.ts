import type { Migration } from './migration.ts'

/** The machines of an installation, and what each says of itself. */
export const machines: Migration = {
  name: '0035-machines',
  async up({ schema }) {
    await schema
      .createTable('machines')
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('role', 'text', (column) => column.notNull())
      .addColumn('version', 'text', (column) => column.notNull())
      .addColumn('origin', 'text', (column) => column.notNull())
      .addColumn('address', 'text')
      .addColumn('facts', 'text', (column) => column.notNull())
      .addColumn('started_at', 'bigint', (column) => column.notNull())
      .addColumn('heard_at', 'bigint', (column) => column.notNull())
      .addColumn('is_draining', 'integer', (column) => column.notNull())
      .addPrimaryKeyConstraint('machines_key', ['name', 'role'])
      .execute()
  },
}
