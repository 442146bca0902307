import { sql } from 'kysely'
import type { Migration } from './migration.ts'

export const jobs: Migration = {
  name: '0002-jobs',
  async up({ schema }) {
    await schema
      .createTable('jobs')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('payload', 'text', (column) => column.notNull())
      .addColumn('key', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('run_at', 'bigint', (column) => column.notNull())
      .addColumn('due_at', 'bigint', (column) => column.notNull())
      .addColumn('attempts', 'integer', (column) => column.notNull())
      .addColumn('worker', 'text')
      .addColumn('error', 'text')
      .addColumn('failed_at', 'bigint')
      .execute()
    await schema
      .createIndex('jobs_key')
      .unique()
      .on('jobs')
      .column('key')
      .where(sql.ref('failed_at'), 'is', null)
      .execute()
    // Every worker takes every kind, so the kind is not worth a place in the index.
    await schema
      .createIndex('jobs_due')
      .on('jobs')
      .columns(['due_at', 'id'])
      .where(sql.ref('failed_at'), 'is', null)
      .execute()
    await schema
      .createIndex('jobs_failed')
      .on('jobs')
      .column('failed_at')
      .where('failed_at', 'is not', null)
      .execute()
  },
}
