import { sql } from 'kysely'
import type { Migration } from './migration.ts'

/** What an account has is counted by an index, and tokens that nobody can use any more are found by one. */
export const held: Migration = {
  name: '0046-held',
  async up({ schema }) {
    await schema
      .createIndex('hosts_owner')
      .on('hosts')
      .column('owner_id')
      .where(sql.ref('alias_id'), 'is not', null)
      .execute()
    await schema.createIndex('teams_creator').on('teams').column('creator_id').execute()
    await schema
      .createIndex('tokens_expiry')
      .on('tokens')
      .column('expires_at')
      .where(sql.ref('expires_at'), 'is not', null)
      .execute()
    await schema
      .createIndex('tokens_idle')
      .on('tokens')
      .column('active_at')
      .where(sql.ref('kind'), '=', sql.lit('login'))
      .execute()
  },
}
