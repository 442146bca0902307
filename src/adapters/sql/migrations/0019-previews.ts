import type { Migration } from './migration.ts'

/** Images of what deployments show. */
export const previews: Migration = {
  name: '0019-previews',
  async up({ schema }) {
    await schema
      .createTable('previews')
      .addColumn('deployment_id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('made_at', 'bigint', (column) => column.notNull())
      .addColumn('kind', 'text')
      .addColumn('type', 'text')
      .addColumn('sha1', 'text')
      .addColumn('sha256', 'text')
      .addColumn('size', 'bigint', (column) => column.notNull())
      .execute()
  },
}
