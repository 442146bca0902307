import type { Migration } from './migration.ts'

/** Repositories elsewhere that projects are deployed from. */
export const gitSources: Migration = {
  name: '0030-git-sources',
  async up({ schema }) {
    await schema
      .createTable('git_sources')
      .addColumn('project_id', 'text', (column) =>
        column.primaryKey().notNull().references('projects.id').onDelete('cascade'),
      )
      .addColumn('details', 'text', (column) => column.notNull())
      .addColumn('due_at', 'bigint', (column) => column.notNull())
      .execute()
    await schema.createIndex('git_sources_due').on('git_sources').column('due_at').execute()
  },
}
