import { copyOf, HELD, isCopy, projectOfCopy } from '#core/git/git-repositories.ts'
import type { RepositorySizeStore } from '#core/git/repository-sizes.ts'
import { prepare } from '../database/prepare.ts'
import type { Db } from '../tables.ts'

const selectUsed = prepare<{ ownerId: string }>()((db, { ownerId }) =>
  db
    .selectFrom('git_sizes')
    .select(({ fn }) => fn.sum<number | string | null>('bytes').as('used'))
    .where('owner_id', '=', ownerId),
)

const selectHeld = prepare<Record<string, never>>()((db) =>
  db
    .selectFrom('git_sizes')
    .select(['project_id', 'repository'])
    .where('repository', 'like', `%${copyOf('', HELD)}%`),
)

const selectOfProject = prepare<{ projectId: string }>()((db, { projectId }) =>
  db
    .selectFrom('git_sizes')
    .select(({ fn }) => fn.sum<number | string | null>('bytes').as('used'))
    .where('project_id', '=', projectId),
)

export const createRepositorySizeStore = (db: Db): RepositorySizeStore => ({
  async set(repository, bytes) {
    await db
      .insertInto('git_sizes')
      .columns(['project_id', 'repository', 'owner_id', 'bytes'])
      .expression((eb) =>
        eb
          .selectFrom('projects')
          .select((row) => [
            'id',
            row.val(repository).as('repository'),
            'owner_id',
            row.val(bytes).as('bytes'),
          ])
          .where('id', '=', projectOfCopy(repository)),
      )
      .onConflict((conflict) =>
        conflict
          .columns(['project_id', 'repository'])
          .doUpdateSet((eb) => ({ owner_id: eb.ref('excluded.owner_id'), bytes: eb.ref('excluded.bytes') })),
      )
      .execute()
  },

  async clear(repository) {
    await db
      .deleteFrom('git_sizes')
      .where('project_id', '=', projectOfCopy(repository))
      .$if(isCopy(repository), (query) => query.where('repository', '=', repository))
      .execute()
  },

  async used(ownerId) {
    const [row] = await selectUsed(db, { ownerId })
    // The sum of a bigint is text on PostgreSQL.
    return Number(row?.used ?? 0)
  },

  async forgetHeld(before) {
    for (const { project_id, repository } of await selectHeld(db, {})) {
      const begun = repository.slice(copyOf(project_id, HELD).length).split('-', 1)[0]
      if (Number(begun) < before)
        await db
          .deleteFrom('git_sizes')
          .where('project_id', '=', project_id)
          .where('repository', '=', repository)
          .execute()
    }
  },

  async ofProject(projectId) {
    const [row] = await selectOfProject(db, { projectId })
    return Number(row?.used ?? 0)
  },
})
