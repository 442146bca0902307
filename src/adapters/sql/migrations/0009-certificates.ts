import { sql } from 'kysely'
import type { Migration } from './migration.ts'

/** When certificates are renewed, the domains they are in, and what was tried in vain. */
export const certificates: Migration = {
  name: '0009-certificates',
  async up({ schema }) {
    // A hundred names are more than an index entry may hold, so their digest stands for them.
    await schema.dropIndex('certificates_names').execute()
    await schema.dropIndex('certificates_ending').execute()
    await schema
      .alterTable('certificates')
      .addColumn('digest', 'text', (column) => column.notNull().defaultTo(''))
      .execute()
    await schema.alterTable('certificates').addColumn('renew_at', 'bigint').execute()
    await schema
      .createIndex('certificates_digest')
      .unique()
      .on('certificates')
      .columns(['owner_id', 'digest'])
      .execute()
    await schema
      .createIndex('certificates_renewal')
      .on('certificates')
      .column('renew_at')
      .where(sql.ref('renew_at'), 'is not', null)
      .execute()

    await schema
      .createTable('certificate_domains')
      .addColumn('owner_id', 'text', (column) => column.notNull())
      .addColumn('domain', 'text', (column) => column.notNull())
      .addColumn('certificate_id', 'text', (column) =>
        column.notNull().references('certificates.id').onDelete('cascade'),
      )
      .addPrimaryKeyConstraint('certificate_domains_key', ['domain', 'owner_id', 'certificate_id'])
      .execute()
    await schema
      .createIndex('certificate_domains_certificate')
      .on('certificate_domains')
      .column('certificate_id')
      .execute()

    await schema
      .createTable('certificate_attempts')
      .addColumn('host', 'text', (column) => column.primaryKey().notNull())
      .addColumn('domain', 'text', (column) => column.notNull())
      .addColumn('failures', 'integer', (column) => column.notNull())
      .addColumn('at', 'bigint', (column) => column.notNull())
      .addColumn('retry_at', 'bigint', (column) => column.notNull())
      .addColumn('error', 'text')
      .execute()
    await schema
      .createIndex('certificate_attempts_failed')
      .on('certificate_attempts')
      .column('retry_at')
      .where(sql.ref('failures'), '>', sql.lit(0))
      .execute()
    await schema
      .createIndex('certificate_attempts_domain')
      .on('certificate_attempts')
      .columns(['domain', 'at'])
      .execute()
    await schema.createIndex('certificate_attempts_at').on('certificate_attempts').column('at').execute()

    // The aliases in the order they came, for whoever looks for new ones.
    await schema
      .createIndex('hosts_aliases')
      .on('hosts')
      .columns(['created_at', 'host'])
      .where(sql.ref('alias_id'), 'is not', null)
      .execute()
  },
}
