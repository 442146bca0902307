import { sql } from 'kysely'
import type { Migration } from './migration.ts'

/**
 * Packs that are worth putting together are found without reading all objects to sort them out. The condition is that of the
 * statement, word for word: else a plan that is the same for all values would not know that the index has what it asks for.
 */
export const wastefulPacks: Migration = {
  name: '0045-wasteful-packs',
  async up({ schema }) {
    await schema.dropIndex('content_objects_wasteful').execute()
    await schema
      .createIndex('content_objects_wasteful')
      .on('content_objects')
      .column('live')
      .where(
        sql<boolean>`state = 'ready' and key like 'packs/%' and case when size < 1048576 then true else live * 2 < size end`,
      )
      .execute()
  },
}
