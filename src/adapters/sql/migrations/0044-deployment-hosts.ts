import { sql } from 'kysely'
import type { Migration } from './migration.ts'

/** A deployment is found by its own host at once, and not by way of the row of the host and the key of the deployment. */
export const deploymentHosts: Migration = {
  name: '0044-deployment-hosts',
  async up({ schema }) {
    await schema
      .createIndex('deployments_host')
      .on('deployments')
      .column('host')
      .where(sql.ref('host'), 'is not', null)
      .where(sql.ref('deleted_at'), 'is', null)
      .execute()
  },
}
