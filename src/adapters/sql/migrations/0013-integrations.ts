import { sql } from 'kysely'
import type { Migration } from './migration.ts'

/** Programs of others: applications, their installations, what they are told, and what was changed by whom. */
export const integrations: Migration = {
  name: '0013-integrations',
  async up({ schema }) {
    await schema
      .createTable('applications')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('owner_id', 'text', (column) => column.notNull())
      .addColumn('slug', 'text', (column) => column.notNull().unique())
      .addColumn('client_id', 'text', (column) => column.notNull().unique())
      .addColumn('details', 'text', (column) => column.notNull())
      .addColumn('sealed_secret', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull())
      .execute()
    await schema
      .createIndex('applications_owner')
      .on('applications')
      .columns(['owner_id', 'created_at', 'id'])
      .execute()

    await schema
      .createTable('installations')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('application_id', 'text', (column) =>
        column.notNull().references('applications.id').onDelete('cascade'),
      )
      .addColumn('owner_id', 'text', (column) => column.notNull())
      .addColumn('user_id', 'text', (column) => column.notNull())
      .addColumn('details', 'text', (column) => column.notNull())
      .addColumn('disabled_at', 'bigint')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull())
      .execute()
    await schema
      .createIndex('installations_once')
      .unique()
      .on('installations')
      .columns(['application_id', 'owner_id'])
      .execute()
    await schema
      .createIndex('installations_owner')
      .on('installations')
      .columns(['owner_id', 'created_at', 'id'])
      .execute()
    await schema
      .createIndex('installations_disabled')
      .on('installations')
      .column('disabled_at')
      .where(sql.ref('disabled_at'), 'is not', sql.lit(null))
      .execute()

    await schema.alterTable('tokens').addColumn('installation_id', 'text').execute()
    await schema.createIndex('tokens_installation').on('tokens').column('installation_id').execute()
    await schema
      .createTable('oauth_codes')
      .addColumn('hash', 'text', (column) => column.primaryKey().notNull())
      .addColumn('installation_id', 'text', (column) =>
        column.notNull().references('installations.id').onDelete('cascade'),
      )
      .addColumn('details', 'text', (column) => column.notNull())
      .addColumn('used_at', 'bigint')
      /** What it was exchanged for; taken back when it is used again. */
      .addColumn('token_id', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute()
    await schema.createIndex('oauth_codes_installation').on('oauth_codes').column('installation_id').execute()
    await schema.createIndex('oauth_codes_created').on('oauth_codes').column('created_at').execute()

    await schema
      .createTable('webhooks')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('owner_id', 'text', (column) => column.notNull())
      .addColumn('details', 'text', (column) => column.notNull())
      .addColumn('sealed_secret', 'text', (column) => column.notNull())
      .addColumn('disabled_at', 'bigint')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute()
    await schema
      .createIndex('webhooks_owner')
      .on('webhooks')
      .columns(['owner_id', 'created_at', 'id'])
      .execute()
    await schema
      .createTable('deliveries')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('event_id', 'text', (column) => column.notNull())
      .addColumn('owner_id', 'text', (column) => column.notNull())
      .addColumn('target_kind', 'text', (column) => column.notNull())
      .addColumn('target_id', 'text', (column) => column.notNull())
      .addColumn('type', 'text', (column) => column.notNull())
      .addColumn('body', 'text', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('attempts', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute()
    await schema
      .createIndex('deliveries_target')
      .on('deliveries')
      .columns(['target_id', 'created_at', 'id'])
      .execute()
    await schema.createIndex('deliveries_created').on('deliveries').column('created_at').execute()

    await schema
      .createTable('drains')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('owner_id', 'text', (column) => column.notNull())
      .addColumn('installation_id', 'text', (column) =>
        column.references('installations.id').onDelete('cascade'),
      )
      .addColumn('details', 'text', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('failing_since', 'bigint')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute()
    await schema.createIndex('drains_owner').on('drains').columns(['owner_id', 'created_at', 'id']).execute()
    await schema.createIndex('drains_installation').on('drains').column('installation_id').execute()

    await schema
      .createTable('audit')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('owner_id', 'text', (column) => column.notNull())
      .addColumn('user_id', 'text', (column) => column.notNull())
      .addColumn('action', 'text', (column) => column.notNull())
      .addColumn('details', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute()
    await schema.createIndex('audit_owner').on('audit').columns(['owner_id', 'created_at', 'id']).execute()
    await schema.createIndex('audit_created').on('audit').column('created_at').execute()
  },
}
