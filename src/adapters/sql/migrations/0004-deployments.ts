import { type CreateTableBuilder, type Kysely, sql } from 'kysely'
import { isPostgres } from '../database/dialect/is-postgres.ts'
import type { Migration } from './migration.ts'

/** Rows that are little more than their key lie in the key's own order, where the database can do that. */
const keyed = <T extends string, C extends string>(db: Kysely<unknown>, table: CreateTableBuilder<T, C>) =>
  isPostgres(db) ? table : table.modifyEnd(sql`without rowid`)

export const deployments: Migration = {
  name: '0004-deployments',
  async up(db) {
    await createFiles(db)
    await createProjects(db)
    await createHosts(db)
    await createDeployments(db)
    await createContents(db)
  },
}

async function createFiles(db: Kysely<unknown>): Promise<void> {
  const { schema } = db
  const files = schema
    .createTable('files')
    .addColumn('owner_id', 'text', (column) => column.notNull())
    .addColumn('sha1', 'text', (column) => column.notNull())
    .addColumn('sha256', 'text', (column) => column.notNull())
    .addColumn('size', 'bigint', (column) => column.notNull())
    .addColumn('used_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('files_key', ['owner_id', 'sha1'])
  await keyed(db, files).execute()
  await schema.createIndex('files_content').on('files').column('sha256').execute()
  await schema.createIndex('files_use').on('files').column('used_at').execute()
}

async function createProjects({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('projects')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('owner_id', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('default_host', 'text')
    .addColumn('directory_listing', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .execute()
  await schema.createIndex('projects_name').unique().on('projects').columns(['owner_id', 'name']).execute()
}

async function createHosts(db: Kysely<unknown>): Promise<void> {
  const { schema } = db
  await schema
    .createTable('hosts')
    .addColumn('host', 'text', (column) => column.primaryKey().notNull())
    .addColumn('owner_id', 'text', (column) => column.notNull())
    .addColumn('project_id', 'text', (column) => column.notNull())
    .addColumn('deployment_id', 'text', (column) => column.notNull())
    .addColumn('alias_id', 'text', (column) => column.unique())
    .addColumn('production', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute()
  await schema
    .createIndex('hosts_deployment')
    .on('hosts')
    .columns(['deployment_id', 'created_at', 'alias_id'])
    .execute()

  const lists = schema
    .createTable('alias_lists')
    .addColumn('owner_id', 'text', (column) => column.notNull())
    .addColumn('list', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('alias_id', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('alias_lists_key', ['owner_id', 'list', 'created_at', 'alias_id'])
  await keyed(db, lists).execute()
  await schema.createIndex('alias_lists_alias').on('alias_lists').column('alias_id').execute()
}

async function createDeployments({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('deployments')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('owner_id', 'text', (column) => column.notNull())
    .addColumn('project_id', 'text', (column) => column.notNull())
    .addColumn('creator_id', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('host', 'text')
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('target', 'text')
    .addColumn('digest', 'text', (column) => column.notNull())
    .addColumn('public', 'integer', (column) => column.notNull())
    .addColumn('incomplete', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('deleted_at', 'bigint')
    .addColumn('details', 'text', (column) => column.notNull())
    // The last one: a row is read up to the last column that is asked for, and this is the largest.
    .addColumn('sealed_env', 'text', (column) => column.notNull())
    .execute()

  const live = (name: string, by: readonly string[]) =>
    schema
      .createIndex(name)
      .on('deployments')
      .columns(['owner_id', ...by, 'created_at', 'id'])
      .where(sql.ref('deleted_at'), 'is', null)
  await live('deployments_owner', []).execute()
  await live('deployments_name', ['name']).execute()
  await live('deployments_project', ['project_id']).execute()
  await live('deployments_project_state', ['project_id', 'state']).execute()
  await live('deployments_project_target', ['project_id', 'target']).execute()
  await live('deployments_creator', ['creator_id']).execute()
  await live('deployments_target', ['target']).execute()
  await live('deployments_state', ['state']).execute()
  // Without those that failed: however often the same thing fails, it is not in the way.
  await live('deployments_digest', ['digest']).where(sql.ref('state'), '!=', sql.lit('ERROR')).execute()

  await schema
    .createIndex('deployments_incomplete')
    .on('deployments')
    .columns(['owner_id', 'id'])
    .where(sql.ref('incomplete'), '=', sql.lit(1))
    .execute()
  await schema
    .createIndex('deployments_abandoned')
    .on('deployments')
    .columns(['created_at', 'id'])
    .where(sql.ref('incomplete'), '=', sql.lit(1))
    .execute()
}

async function createContents(db: Kysely<unknown>): Promise<void> {
  const { schema } = db
  await schema
    .createTable('manifests')
    .addColumn('deployment_id', 'text', (column) =>
      column.primaryKey().notNull().references('deployments.id').onDelete('cascade'),
    )
    .addColumn('sha1s', 'text', (column) => column.notNull())
    .addColumn('files', 'text', (column) => column.notNull())
    .execute()
  // Hashes hardly get smaller, and trying takes several times as long as writing them.
  if (isPostgres(db))
    await sql`alter table manifests
      alter column sha1s set storage external,
      alter column files set storage external`.execute(db)

  const meta = schema
    .createTable('deployment_meta')
    .addColumn('owner_id', 'text', (column) => column.notNull())
    .addColumn('pair', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('deployment_id', 'text', (column) =>
      column.notNull().references('deployments.id').onDelete('cascade'),
    )
    .addPrimaryKeyConstraint('deployment_meta_key', ['owner_id', 'pair', 'created_at', 'deployment_id'])
  await keyed(db, meta).execute()
  await schema
    .createIndex('deployment_meta_deployment')
    .on('deployment_meta')
    .columns(['deployment_id', 'pair'])
    .execute()

  const awaited = schema
    .createTable('awaited_files')
    .addColumn('owner_id', 'text', (column) => column.notNull())
    .addColumn('sha1', 'text', (column) => column.notNull())
    .addColumn('size', 'bigint', (column) => column.notNull())
    .addColumn('deployment_id', 'text', (column) =>
      column.notNull().references('deployments.id').onDelete('cascade'),
    )
    .addPrimaryKeyConstraint('awaited_files_key', ['owner_id', 'sha1', 'size', 'deployment_id'])
  await keyed(db, awaited).execute()
  await schema
    .createIndex('awaited_files_deployment')
    .on('awaited_files')
    .columns(['deployment_id', 'sha1'])
    .execute()
}
