import type { Migration } from './migration.ts'

/** What each repository takes, so that it counts toward the storage of its account wherever that is asked for. */
export const gitSizes: Migration = {
  name: '0043-git-sizes',
  async up({ schema }) {
    await schema
      .createTable('git_sizes')
      .addColumn('project_id', 'text', (column) =>
        column.notNull().references('projects.id').onDelete('cascade'),
      )
      .addColumn('repository', 'text', (column) => column.notNull())
      .addColumn('owner_id', 'text', (column) => column.notNull())
      .addColumn('bytes', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('git_sizes_pk', ['project_id', 'repository'])
      .execute()
    await schema.createIndex('git_sizes_owner').on('git_sizes').columns(['owner_id', 'bytes']).execute()
  },
}
