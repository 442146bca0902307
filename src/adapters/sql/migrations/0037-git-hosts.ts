import type { Migration } from './migration.ts'

/** Pull requests of connected repositories, and accounts at the hosts of repositories. */
export const gitHosts: Migration = {
  name: '0037-git-hosts',
  async up({ schema }) {
    await schema
      .createTable('git_pulls')
      .addColumn('project_id', 'text', (column) =>
        column.notNull().references('projects.id').onDelete('cascade'),
      )
      .addColumn('number', 'bigint', (column) => column.notNull())
      .addColumn('owner_id', 'text', (column) => column.notNull())
      .addColumn('repository', 'text', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('details', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('git_pulls_pk', ['project_id', 'number'])
      .execute()
    await schema
      .createIndex('git_pulls_same')
      .on('git_pulls')
      .columns(['owner_id', 'repository', 'number', 'project_id'])
      .execute()
    await schema
      .createTable('git_connections')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('owner_id', 'text', (column) => column.notNull())
      .addColumn('details', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute()
    await schema
      .createIndex('git_connections_owner')
      .on('git_connections')
      .columns(['owner_id', 'created_at', 'id'])
      .execute()
  },
}
