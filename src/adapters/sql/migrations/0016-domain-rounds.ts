import { sql } from 'kysely'
import type { Migration } from './migration.ts'

/** Ways to find domains: those that are deleted together, and those that rounds look at again. */
export const domainRounds: Migration = {
  name: '0016-domain-rounds',
  async up({ schema }) {
    // One name may be in the projects of several who wait for their proof.
    await schema
      .createIndex('project_domains_apex')
      .on('project_domains')
      .columns(['owner_id', 'apex_name', 'name'])
      .execute()
    await schema
      .createIndex('project_domains_changed')
      .on('project_domains')
      .columns(['updated_at', 'name'])
      .where(sql.ref('verified'), '=', sql.lit(1))
      .execute()
    await schema
      .createIndex('domains_checked')
      .on('domains')
      .columns(['checked_at', 'id'])
      .where(sql.ref('verified'), '=', sql.lit(1))
      .execute()
  },
}
