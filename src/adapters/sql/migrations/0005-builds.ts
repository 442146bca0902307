import { sql } from 'kysely'
import type { Migration } from './migration.ts'

export const builds: Migration = {
  name: '0005-builds',
  async up({ schema }) {
    await schema.alterTable('projects').addColumn('build', 'text').execute()
    await schema
      .createTable('outputs')
      .addColumn('deployment_id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('sha1s', 'text', (column) => column.notNull())
      .addColumn('files', 'text', (column) => column.notNull())
      .addColumn('rest', 'text', (column) => column.notNull())
      .execute()
    await schema
      .createTable('instances')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('deployment_id', 'text', (column) => column.notNull())
      .addColumn('program', 'text', (column) => column.notNull())
      .addColumn('worker', 'text', (column) => column.notNull())
      .addColumn('started_at', 'bigint', (column) => column.notNull())
      .execute()
    await schema
      .createIndex('instances_deployment')
      .on('instances')
      .columns(['deployment_id', 'started_at', 'id'])
      .execute()
    await schema.createIndex('instances_worker').on('instances').column('worker').execute()
    await schema
      .alterTable('deployments')
      .addColumn('min_instances', 'integer', (column) => column.notNull().defaultTo(0))
      .execute()
    await schema
      .createIndex('deployments_kept')
      .on('deployments')
      .columns(['created_at', 'id'])
      .where(sql.ref('min_instances'), '>', sql.lit(0))
      .execute()
    // Whose work it is: what one of them queues up does not hold up the others.
    await schema.alterTable('jobs').addColumn('share', 'text').execute()
    await schema
      .createIndex('jobs_share')
      .on('jobs')
      .columns(['kind', 'share', 'due_at', 'id'])
      .where(sql.ref('share'), 'is not', null)
      .where(sql.ref('failed_at'), 'is', null)
      .execute()
    await schema
      .createIndex('jobs_worker')
      .on('jobs')
      .column('worker')
      .where(sql.ref('worker'), 'is not', null)
      .execute()
  },
}
