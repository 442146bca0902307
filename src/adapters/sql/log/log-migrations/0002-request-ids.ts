import type { Migration } from '../../migrations/migration.ts'

export const requestIds: Migration = {
  name: '0002-request-ids',
  async up({ schema }) {
    await schema.alterTable('log_entries').addColumn('request_id', 'text').execute()
  },
}
