import type { Migration } from './migration.ts'

/** Public keys with which users sign in over SSH. */
export const sshKeys: Migration = {
  name: '0038-ssh-keys',
  async up({ schema }) {
    await schema
      .createTable('ssh_keys')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('user_id', 'text', (column) => column.notNull().references('users.id').onDelete('cascade'))
      .addColumn('fingerprint', 'text', (column) => column.notNull().unique())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('public_key', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('used_at', 'bigint')
      .execute()
    await schema
      .createIndex('ssh_keys_user')
      .on('ssh_keys')
      .columns(['user_id', 'created_at', 'id'])
      .execute()
  },
}
