import { sql } from 'kysely'
import type { Migration } from './migration.ts'

/** Domains, what they answer with, their certificates, and how visitors sign in. */
export const domains: Migration = {
  name: '0007-domains',
  async up(db) {
    const { schema } = db
    await schema
      .createTable('domains')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('owner_id', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      // Derived from the details: the index below lets one account alone have it for a name.
      .addColumn('verified', 'integer', (column) => column.notNull())
      .addColumn('details', 'text', (column) => column.notNull())
      .addColumn('checked_at', 'bigint')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute()
    await schema.createIndex('domains_name').unique().on('domains').columns(['name', 'owner_id']).execute()
    await schema
      .createIndex('domains_verified')
      .unique()
      .on('domains')
      .column('name')
      .where(sql.ref('verified'), '=', sql.lit(1))
      .execute()
    await schema
      .createIndex('domains_owner')
      .on('domains')
      .columns(['owner_id', 'created_at', 'id'])
      .execute()
    await schema
      .createIndex('domains_unchecked')
      .on('domains')
      .columns(['checked_at', 'created_at'])
      .where(sql.ref('verified'), '=', sql.lit(0))
      .execute()

    await schema
      .createTable('dns_records')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('domain_id', 'text', (column) =>
        column.notNull().references('domains.id').onDelete('cascade'),
      )
      .addColumn('type', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('value', 'text', (column) => column.notNull())
      .addColumn('slug', 'text', (column) => column.notNull())
      .addColumn('creator_id', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint')
      .execute()
    await schema
      .createIndex('dns_records_domain')
      .on('dns_records')
      .columns(['domain_id', 'created_at', 'id'])
      .execute()

    await schema
      .createTable('certificates')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('owner_id', 'text', (column) => column.notNull())
      // Sorted and joined, so that the same set of names is the same text.
      .addColumn('names', 'text', (column) => column.notNull())
      .addColumn('source', 'text', (column) => column.notNull())
      .addColumn('auto_renew', 'integer', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .addColumn('cert', 'text', (column) => column.notNull())
      .addColumn('sealed_key', 'text', (column) => column.notNull())
      .execute()
    await schema
      .createIndex('certificates_owner')
      .on('certificates')
      .columns(['owner_id', 'created_at', 'id'])
      .execute()
    await schema.createIndex('certificates_names').on('certificates').columns(['owner_id', 'names']).execute()
    await schema
      .createIndex('certificates_ending')
      .on('certificates')
      .columns(['auto_renew', 'expires_at'])
      .execute()
    await schema
      .createTable('certificate_names')
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('certificate_id', 'text', (column) =>
        column.notNull().references('certificates.id').onDelete('cascade'),
      )
      .addPrimaryKeyConstraint('certificate_names_key', ['name', 'certificate_id'])
      .execute()
    await schema
      .createIndex('certificate_names_certificate')
      .on('certificate_names')
      .column('certificate_id')
      .execute()

    await schema
      .createTable('challenges')
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('host', 'text', (column) => column.notNull())
      .addColumn('token', 'text', (column) => column.notNull())
      .addColumn('value', 'text', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('challenges_key', ['host', 'kind', 'token'])
      .execute()
    await schema.createIndex('challenges_expiry').on('challenges').column('expires_at').execute()

    await schema
      .createTable('project_domains')
      .addColumn('project_id', 'text', (column) =>
        column.notNull().references('projects.id').onDelete('cascade'),
      )
      .addColumn('owner_id', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('apex_name', 'text', (column) => column.notNull())
      .addColumn('redirect', 'text')
      .addColumn('redirect_status', 'integer')
      .addColumn('git_branch', 'text')
      .addColumn('custom_environment_id', 'text')
      .addColumn('verified', 'integer', (column) => column.notNull())
      .addColumn('challenge', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('project_domains_key', ['project_id', 'name'])
      .execute()
    await schema
      .createIndex('project_domains_name')
      .on('project_domains')
      .columns(['name', 'project_id'])
      .execute()
    await schema
      .createIndex('project_domains_verified')
      .unique()
      .on('project_domains')
      .column('name')
      .where(sql.ref('verified'), '=', sql.lit(1))
      .execute()
    await schema
      .createIndex('project_domains_list')
      .on('project_domains')
      .columns(['project_id', 'created_at', 'name'])
      .execute()

    await schema
      .createTable('sessions')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('hash', 'text', (column) => column.notNull().unique())
      .addColumn('user_id', 'text', (column) => column.notNull().references('users.id').onDelete('cascade'))
      .addColumn('details', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .execute()
    await schema.createIndex('sessions_user').on('sessions').columns(['user_id', 'created_at']).execute()
    await schema.createIndex('sessions_expiry').on('sessions').column('expires_at').execute()
    await schema
      .createTable('sso_passes')
      .addColumn('hash', 'text', (column) => column.primaryKey().notNull())
      .addColumn('host', 'text', (column) => column.notNull())
      .addColumn('user_id', 'text', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .execute()
    await schema.createIndex('sso_passes_expiry').on('sso_passes').column('expires_at').execute()

    // What the sandbox registrar has sold, and what every account has ordered of whichever registrar.
    await schema
      .createTable('registry_names')
      .addColumn('name', 'text', (column) => column.primaryKey().notNull())
      .addColumn('details', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute()
    await schema
      .createTable('orders')
      .addColumn('key', 'text', (column) => column.primaryKey().notNull())
      .addColumn('owner_id', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('details', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute()
    await schema.createIndex('orders_owner').on('orders').columns(['owner_id', 'name']).execute()
    await schema.createIndex('orders_state').on('orders').columns(['state', 'created_at']).execute()
  },
}
