import type { Migration } from './migration.ts'

/** Machines that are part of the installation no more, whatever certificate they have. */
export const removedMachines: Migration = {
  name: '0041-removed-machines',
  async up({ schema }) {
    await schema
      .createTable('removed_machines')
      .addColumn('name', 'text', (column) => column.primaryKey().notNull())
      .addColumn('removed_at', 'bigint', (column) => column.notNull())
      .execute()
  },
}
