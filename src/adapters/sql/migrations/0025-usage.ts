import { sql } from 'kysely'
import type { Migration } from './migration.ts'

/**
 * What accounts use, counted by entries that are added up: whoever writes one waits for nobody. What was there before
 * is counted here, once.
 */
export const usage: Migration = {
  name: '0025-usage',
  async up(db) {
    const { schema } = db
    await schema
      .createTable('usage')
      .addColumn('owner_id', 'text', (column) => column.notNull())
      .addColumn('what', 'text', (column) => column.notNull())
      .addColumn('period', 'text', (column) => column.notNull())
      .addColumn('amount', 'bigint', (column) => column.notNull())
      .addColumn('fresh', 'integer', (column) => column.notNull())
      .execute()
    await schema.createIndex('usage_owner').on('usage').columns(['owner_id', 'what', 'period']).execute()
    await schema
      .createIndex('usage_fresh')
      .on('usage')
      .columns(['owner_id', 'what', 'period'])
      .where(sql<boolean>`fresh = 1`)
      .execute()
    await schema
      .createIndex('usage_period')
      .on('usage')
      .column('period')
      .where(sql<boolean>`period != ''`)
      .execute()
    await sql`insert into usage (owner_id, what, period, amount, fresh)
      select owner_id, 'contentBytes', '', sum(size), 0 from files group by owner_id`.execute(db)
    await sql`insert into usage (owner_id, what, period, amount, fresh)
      select owner_id, 'deployments', '', count(*), 0 from deployments where deleted_at is null group by owner_id`.execute(
      db,
    )
    await schema
      .alterTable('instances')
      .addColumn('owner_id', 'text', (column) => column.notNull().defaultTo(''))
      .execute()
    await schema
      .alterTable('instances')
      .addColumn('memory_mb', 'integer', (column) => column.notNull().defaultTo(0))
      .execute()
    await schema.createIndex('instances_owner').on('instances').column('owner_id').execute()
  },
}
