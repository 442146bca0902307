import { sql } from 'kysely'
import type { Migration } from './migration.ts'

/** Schedules of projects, and their runs. When the next run is due is known to the queue of jobs. */
export const crons: Migration = {
  name: '0026-crons',
  async up({ schema }) {
    await schema
      .createTable('crons')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('owner_id', 'text', (column) => column.notNull())
      .addColumn('project_id', 'text', (column) =>
        column.notNull().references('projects.id').onDelete('cascade'),
      )
      .addColumn('source', 'text', (column) => column.notNull())
      .addColumn('path', 'text', (column) => column.notNull())
      .addColumn('schedule', 'text', (column) => column.notNull())
      .addColumn('time_zone', 'text', (column) => column.notNull())
      .addColumn('enabled', 'integer', (column) => column.notNull())
      .addColumn('overlap', 'text', (column) => column.notNull())
      .addColumn('make_up', 'integer', (column) => column.notNull())
      .addColumn('failures', 'integer', (column) => column.notNull())
      .addColumn('next_at', 'bigint')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull())
      .execute()
    await schema
      .createIndex('crons_project')
      .on('crons')
      .columns(['project_id', 'created_at', 'id'])
      .execute()
    await schema
      .createTable('cron_runs')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('cron_id', 'text', (column) => column.notNull().references('crons.id').onDelete('cascade'))
      .addColumn('trigger_kind', 'text', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('due_at', 'bigint', (column) => column.notNull())
      .addColumn('started_at', 'bigint')
      .addColumn('ended_at', 'bigint')
      .addColumn('status', 'integer')
      .addColumn('deployment_id', 'text')
      .addColumn('request_id', 'text')
      .addColumn('message', 'text')
      .execute()
    await schema.createIndex('cron_runs_cron').on('cron_runs').columns(['cron_id', 'due_at', 'id']).execute()
    await schema
      .createIndex('cron_runs_running')
      .on('cron_runs')
      .column('cron_id')
      .where(sql<boolean>`state = 'running'`)
      .execute()
  },
}
