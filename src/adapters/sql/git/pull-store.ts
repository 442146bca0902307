import type { Selectable } from 'kysely'
import type { Pull, PullStore } from '#core/git/pull/pull.ts'
import type { Db, GitPullTable } from '../tables.ts'

const PULL = ['project_id', 'number', 'owner_id', 'repository', 'state', 'details'] as const

/** What has no column of its own. */
type Details = Omit<Pull, 'projectId' | 'number' | 'ownerId' | 'repository' | 'state'>

const toPull = (row: Selectable<GitPullTable>): Pull => ({
  ...(JSON.parse(row.details) as Details),
  projectId: row.project_id,
  number: row.number,
  ownerId: row.owner_id,
  repository: row.repository,
  state: row.state,
})

const fromPull = ({ projectId, number, ownerId, repository, state, ...details }: Pull) => ({
  key: { project_id: projectId, number },
  rest: { owner_id: ownerId, repository, state, details: JSON.stringify(details satisfies Details) },
})

export const createPullStore = (db: Db): PullStore => ({
  async find(projectId, number) {
    const row = await db
      .selectFrom('git_pulls')
      .select(PULL)
      .where('project_id', '=', projectId)
      .where('number', '=', number)
      .executeTakeFirst()
    return row && toPull(row)
  },

  async save(pull) {
    const { key, rest } = fromPull(pull)
    await db
      .insertInto('git_pulls')
      .values({ ...key, ...rest })
      .onConflict((conflict) => conflict.columns(['project_id', 'number']).doUpdateSet(rest))
      .execute()
  },

  async open(projectId) {
    const rows = await db
      .selectFrom('git_pulls')
      .select(PULL)
      .where('project_id', '=', projectId)
      .where('state', '=', 'open')
      .orderBy('number')
      .execute()
    return rows.map(toPull)
  },

  async same(ownerId, repository, number) {
    const rows = await db
      .selectFrom('git_pulls')
      .select(PULL)
      .where('owner_id', '=', ownerId)
      .where('repository', '=', repository)
      .where('number', '=', number)
      .orderBy('project_id')
      .execute()
    return rows.map(toPull)
  },

  async clear(projectId) {
    await db.deleteFrom('git_pulls').where('project_id', '=', projectId).execute()
  },
})
