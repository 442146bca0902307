import { sql } from 'kysely'
import type { Migration } from './migration.ts'

/** Pushes with what became of them, and which contents the objects of git are. */
export const git: Migration = {
  name: '0029-git',
  async up({ schema }) {
    await schema
      .createTable('git_pushes')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('owner_id', 'text', (column) => column.notNull())
      .addColumn('project_id', 'text', (column) =>
        column.notNull().references('projects.id').onDelete('cascade'),
      )
      .addColumn('ref', 'text', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('deployment_id', 'text')
      .addColumn('details', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute()
    await schema
      .createIndex('git_pushes_project')
      .on('git_pushes')
      .columns(['project_id', 'created_at', 'id'])
      .execute()
    await schema
      .createIndex('git_pushes_ref')
      .on('git_pushes')
      .columns(['project_id', 'ref', 'created_at', 'id'])
      .execute()
    await schema
      .createIndex('git_pushes_open')
      .on('git_pushes')
      .columns(['created_at', 'id'])
      .where(sql<boolean>`state in ('receiving', 'queued', 'waiting')`)
      .execute()
    await schema.createIndex('git_pushes_created').on('git_pushes').column('created_at').execute()
    await schema
      .createTable('git_objects')
      .addColumn('owner_id', 'text', (column) => column.notNull())
      .addColumn('oid', 'text', (column) => column.notNull())
      .addColumn('sha1', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('git_objects_pk', ['owner_id', 'oid'])
      .execute()
  },
}
