import { sql } from 'kysely'
import type { Migration } from './migration.ts'

/** Variables of projects can belong to an installation, and are gone with it. */
export const configurations: Migration = {
  name: '0014-configurations',
  async up({ schema }) {
    await schema.alterTable('env_variables').addColumn('configuration_id', 'text').execute()
    await schema
      .createIndex('env_variables_configuration')
      .on('env_variables')
      .column('configuration_id')
      .where(sql.ref('configuration_id'), 'is not', sql.lit(null))
      .execute()
  },
}
