import type { Migration } from './migration.ts'

export const projects: Migration = {
  name: '0006-projects',
  async up({ schema }) {
    await schema.alterTable('projects').addColumn('details', 'text').execute()
    await schema.alterTable('projects').addColumn('repo', 'text').execute()
    await schema.alterTable('projects').addColumn('repo_number', 'bigint').execute()
    await schema
      .alterTable('projects')
      .addColumn('git_fork_protection', 'integer', (column) => column.notNull().defaultTo(1))
      .execute()
    await schema.alterTable('projects').addColumn('transfer_hash', 'text').execute()
    await schema.createIndex('projects_transfer').unique().on('projects').column('transfer_hash').execute()
    // With the name, so that a search reads the index alone.
    await schema
      .createIndex('projects_updated')
      .on('projects')
      .columns(['owner_id', 'updated_at', 'id', 'name'])
      .execute()
    await schema
      .createIndex('hosts_project')
      .on('hosts')
      .columns(['project_id', 'production', 'deployment_id'])
      .execute()
    await schema
      .createTable('env_variables')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('project_id', 'text', (column) =>
        column.notNull().references('projects.id').onDelete('cascade'),
      )
      .addColumn('key', 'text', (column) => column.notNull())
      .addColumn('type', 'text', (column) => column.notNull())
      .addColumn('details', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('value', 'text', (column) => column.notNull())
      .execute()
    await schema
      .createIndex('env_variables_project')
      .on('env_variables')
      .columns(['project_id', 'created_at', 'id'])
      .execute()
  },
}
