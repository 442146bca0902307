import type { Migration } from './migration.ts'

/** What machines have in common besides files. Machines that are not heard of are looked for whenever instances are listed. */
export const sharedThings: Migration = {
  name: '0042-shared-things',
  async up({ schema }) {
    await schema.createIndex('machines_heard').on('machines').columns(['role', 'heard_at']).execute()
    await schema
      .createTable('shared_things')
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('version', 'bigint', (column) => column.notNull())
      .addColumn('details', 'text', (column) => column.notNull())
      .addColumn('used_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('shared_things_key', ['kind', 'name'])
      .execute()
    await schema.createIndex('shared_things_used').on('shared_things').columns(['kind', 'used_at']).execute()
    await schema
      .createTable('shared_contents')
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('path', 'text', (column) => column.notNull())
      .addColumn('sha256', 'text', (column) => column.notNull())
      .addColumn('size', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('shared_contents_key', ['kind', 'name', 'path'])
      .execute()
    await schema.createIndex('shared_contents_sha256').on('shared_contents').column('sha256').execute()
    await schema
      .createTable('revalidations')
      .addColumn('deployment_id', 'text', (column) => column.notNull())
      .addColumn('tag', 'text', (column) => column.notNull())
      .addColumn('is_soft', 'integer', (column) => column.notNull())
      .addColumn('at', 'bigint', (column) => column.notNull())
      .addColumn('expire', 'bigint')
      .addPrimaryKeyConstraint('revalidations_key', ['deployment_id', 'tag', 'is_soft'])
      .execute()
  },
}
