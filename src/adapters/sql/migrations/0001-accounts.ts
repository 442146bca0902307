import { sql } from 'kysely'
import type { Migration } from './migration.ts'

export const accounts: Migration = {
  name: '0001-accounts',
  async up({ schema }) {
    await schema
      .createTable('handles')
      .addColumn('handle', 'text', (column) => column.primaryKey().notNull())
      .addColumn('account_id', 'text', (column) => column.notNull())
      .execute()
    await schema.createIndex('handles_account').on('handles').column('account_id').execute()

    await schema
      .createTable('users')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('email', 'text', (column) => column.notNull().unique())
      .addColumn('username', 'text', (column) => column.notNull().unique())
      .addColumn('name', 'text')
      .addColumn('avatar', 'text')
      .addColumn('plan', 'text', (column) => column.notNull())
      .addColumn('soft_blocked', 'integer', (column) => column.notNull())
      .addColumn('operator', 'integer', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute()
    await schema
      .createIndex('users_operator')
      .on('users')
      .column('operator')
      .where('operator', '=', sql.lit(1))
      .execute()

    await schema
      .createTable('teams')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('slug', 'text', (column) => column.notNull().unique())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('creator_id', 'text', (column) => column.notNull())
      .addColumn('avatar', 'text')
      .addColumn('plan', 'text', (column) => column.notNull())
      .addColumn('soft_blocked', 'integer', (column) => column.notNull())
      .addColumn('members_may_edit_production', 'integer', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute()

    await schema
      .createTable('team_members')
      .addColumn('team_id', 'text', (column) => column.notNull().references('teams.id').onDelete('cascade'))
      .addColumn('user_id', 'text', (column) => column.notNull().references('users.id').onDelete('cascade'))
      .addColumn('role', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('team_created_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('team_members_key', ['team_id', 'user_id'])
      .execute()
    await schema
      .createIndex('team_members_age')
      .on('team_members')
      .columns(['team_id', 'created_at', 'user_id'])
      .execute()
    await schema
      .createIndex('team_members_user')
      .on('team_members')
      .columns(['user_id', 'team_created_at', 'team_id'])
      .execute()

    await schema
      .createTable('tokens')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('hash', 'text', (column) => column.notNull().unique())
      .addColumn('user_id', 'text', (column) => column.notNull().references('users.id').onDelete('cascade'))
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('active_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint')
      .execute()
    await schema.createIndex('tokens_user').on('tokens').columns(['user_id', 'created_at', 'id']).execute()

    await schema
      .createTable('logins')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('poll_hash', 'text', (column) => column.notNull().unique())
      .addColumn('link_hash', 'text', (column) => column.notNull().unique())
      .addColumn('email', 'text', (column) => column.notNull())
      .addColumn('token_name', 'text', (column) => column.notNull())
      .addColumn('security_code', 'text', (column) => column.notNull())
      .addColumn('ip', 'text', (column) => column.notNull())
      .addColumn('user_agent', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .addColumn('accepted_at', 'bigint')
      .execute()
    await schema.createIndex('logins_expiry').on('logins').column('expires_at').execute()

    await schema
      .createTable('settings')
      .addColumn('key', 'text', (column) => column.primaryKey().notNull())
      .addColumn('value', 'text', (column) => column.notNull())
      .execute()
  },
}
