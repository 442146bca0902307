import type { Migration } from './migration.ts'

/** Contents that were found damaged and have not been uploaded again since. */
export const damagedContents: Migration = {
  name: '0024-damaged-contents',
  async up({ schema }) {
    await schema
      .createTable('damaged_contents')
      .addColumn('sha256', 'text', (column) => column.primaryKey().notNull())
      .addColumn('found_at', 'bigint', (column) => column.notNull())
      .execute()
  },
}
