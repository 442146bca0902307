import type { Migration } from './migration.ts'

/** Signed calls of the hosts of repositories that were followed, so that none is followed twice. */
export const gitDeliveries: Migration = {
  name: '0036-git-deliveries',
  async up({ schema }) {
    await schema
      .createTable('git_deliveries')
      .addColumn('project_id', 'text', (column) =>
        column.notNull().references('projects.id').onDelete('cascade'),
      )
      .addColumn('delivery', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('git_deliveries_pk', ['project_id', 'delivery'])
      .execute()
    await schema
      .createIndex('git_deliveries_newest')
      .on('git_deliveries')
      .columns(['project_id', 'created_at', 'delivery'])
      .execute()
  },
}
