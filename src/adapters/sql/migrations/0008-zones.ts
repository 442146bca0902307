import type { Migration } from './migration.ts'

/** How often what a name answers with was changed: the row outlives the records, so the count never goes back. */
export const zones: Migration = {
  name: '0008-zones',
  async up({ schema }) {
    await schema
      .createTable('zone_changes')
      .addColumn('zone', 'text', (column) => column.primaryKey().notNull())
      .addColumn('count', 'bigint', (column) => column.notNull())
      .execute()
  },
}
