import type { Migration } from './migration.ts'

/** GitHub Apps that accounts made for themselves. */
export const gitApps: Migration = {
  name: '0040-git-apps',
  async up({ schema }) {
    await schema
      .createTable('git_apps')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('owner_id', 'text', (column) => column.notNull())
      .addColumn('details', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute()
    await schema
      .createIndex('git_apps_owner')
      .on('git_apps')
      .columns(['owner_id', 'created_at', 'id'])
      .execute()
  },
}
