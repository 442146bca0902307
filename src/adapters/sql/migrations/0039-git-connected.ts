import type { Migration } from './migration.ts'

/** Which connected host a repository is read through, and a name to find it by when its host calls. */
export const gitConnected: Migration = {
  name: '0039-git-connected',
  async up({ schema }) {
    for (const column of ['connection_id', 'repository']) {
      await schema.alterTable('git_sources').addColumn(column, 'text').execute()
      await schema.createIndex(`git_sources_${column}`).on('git_sources').column(column).execute()
    }
  },
}
