import type { Migration } from './migration.ts'

export const secrets: Migration = {
  name: '0003-secrets',
  async up({ schema }) {
    await schema
      .createTable('secrets')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('owner_id', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('sealed', 'text', (column) => column.notNull())
      .addColumn('creator_id', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute()
    await schema.createIndex('secrets_name').unique().on('secrets').columns(['owner_id', 'name']).execute()
    await schema
      .createIndex('secrets_owner')
      .on('secrets')
      .columns(['owner_id', 'created_at', 'id'])
      .execute()
  },
}
