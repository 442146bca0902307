import type { Migration } from './migration.ts'

/** What operators look through: accounts by age, and certificates by their end. */
export const operatorLists: Migration = {
  name: '0017-operator-lists',
  async up({ schema }) {
    await schema.createIndex('users_age').on('users').columns(['created_at', 'id']).execute()
    await schema.createIndex('teams_age').on('teams').columns(['created_at', 'id']).execute()
    await schema.createIndex('certificates_end').on('certificates').column('expires_at').execute()
  },
}
