import { sql } from 'kysely'
import type { Migration } from '../../migrations/migration.ts'

/**
 * Entries that are found by their project: the answers to visits, and what programs wrote. Those of before have no
 * project and are found by their deployment alone, until they are pruned some days later.
 */
export const projectLogs: Migration = {
  name: '0020-project-logs',
  async up({ schema }) {
    for (const column of ['project_id', 'environment', 'stream'])
      await schema.alterTable('log_entries').addColumn(column, 'text').execute()
    await schema
      .createIndex('log_entries_project')
      .on('log_entries')
      .columns(['project_id', 'serial'])
      .where(sql.ref('project_id'), 'is not', null)
      .execute()
  },
}
