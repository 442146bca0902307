import { sql } from 'kysely'
import type { Migration } from './migration.ts'

/** Where each content is, for installations that keep contents in an object store. */
export const contents: Migration = {
  name: '0027-contents',
  async up({ schema }) {
    await schema
      .createTable('contents')
      .addColumn('sha256', 'text', (column) => column.primaryKey().notNull())
      .addColumn('object', 'text', (column) => column.notNull())
      .addColumn('start', 'bigint', (column) => column.notNull())
      .addColumn('size', 'bigint', (column) => column.notNull())
      .addColumn('put_at', 'bigint', (column) => column.notNull())
      .execute()
    await schema.createIndex('contents_object').on('contents').column('object').execute()
    await schema
      .createTable('content_objects')
      .addColumn('key', 'text', (column) => column.primaryKey().notNull())
      .addColumn('size', 'bigint', (column) => column.notNull())
      .addColumn('live', 'bigint', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('since', 'bigint', (column) => column.notNull())
      .execute()
    await schema
      .createIndex('content_objects_removable')
      .on('content_objects')
      .columns(['state', 'since'])
      .where(sql<boolean>`state != 'ready'`)
      .execute()
    await schema
      .createIndex('content_objects_wasteful')
      .on('content_objects')
      .column('live')
      .where(sql<boolean>`state = 'ready'`)
      .execute()
  },
}
