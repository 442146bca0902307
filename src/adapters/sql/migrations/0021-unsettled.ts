import { sql } from 'kysely'
import type { Migration } from './migration.ts'

/** Deployments that are on their way, which are always few. */
export const unsettled: Migration = {
  name: '0021-unsettled',
  async up({ schema }) {
    await schema
      .createIndex('deployments_unsettled')
      .on('deployments')
      .columns(['created_at', 'id'])
      .where(sql<boolean>`state in ('INITIALIZING', 'ANALYZING', 'BUILDING', 'DEPLOYING')`)
      .execute()
  },
}
