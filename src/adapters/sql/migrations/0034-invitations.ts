import type { Migration } from './migration.ts'

/** Links in mails by which people join a team. */
export const invitations: Migration = {
  name: '0034-invitations',
  async up({ schema }) {
    await schema
      .createTable('invitations')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('hash', 'text', (column) => column.notNull().unique())
      .addColumn('team_id', 'text', (column) => column.notNull().references('teams.id').onDelete('cascade'))
      .addColumn('email', 'text', (column) => column.notNull())
      .addColumn('role', 'text', (column) => column.notNull())
      .addColumn('inviter_id', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .addUniqueConstraint('invitations_address', ['team_id', 'email'])
      .execute()
    await schema.createIndex('invitations_expiry').on('invitations').columns(['expires_at']).execute()
  },
}
