import type { Selectable } from 'kysely'
import type { GitSource, SourceStore } from '#core/git/source/source.ts'
import { changedOne } from '../database/changed-one.ts'
import { locksRows } from '../database/dialect/capabilities.ts'
import { atomically } from '../database/transaction.ts'
import type { Db, GitSourceTable } from '../tables.ts'

const DELIVERIES_KEPT = 500

const SOURCE = ['project_id', 'details', 'due_at'] as const

type LaterOn = 'sealedWebhookSecret' | 'knownHosts' | 'host' | 'connectionId' | 'hook' | 'pulls'

/** Hosts do not tell names apart by case. */
const repositoryKey = (url: string): string => url.replace(/\.git\/?$/, '').toLowerCase()

const toSource = (row: Pick<Selectable<GitSourceTable>, (typeof SOURCE)[number]>): GitSource => ({
  // Those that were connected before there were these have none.
  sealedWebhookSecret: null,
  knownHosts: null,
  host: null,
  connectionId: null,
  hook: null,
  pulls: null,
  ...(JSON.parse(row.details) as Omit<GitSource, 'projectId' | 'dueAt' | LaterOn> &
    Partial<Pick<GitSource, LaterOn>>),
  projectId: row.project_id,
  dueAt: row.due_at,
})

const fromSource = ({ projectId, dueAt, ...details }: GitSource) => ({
  project_id: projectId,
  due_at: dueAt,
  connection_id: details.connectionId,
  repository: repositoryKey(details.url),
  details: JSON.stringify(details),
})

export function createSourceStore(db: Db): SourceStore {
  const select = (on: Db, projectId: string) =>
    on.selectFrom('git_sources').select(SOURCE).where('project_id', '=', projectId)
  return {
    async find(projectId) {
      const row = await select(db, projectId).executeTakeFirst()
      return row && toSource(row)
    },

    async save(source) {
      const { project_id, ...rest } = fromSource(source)
      await db
        .insertInto('git_sources')
        .values({ project_id, ...rest })
        .onConflict((conflict) => conflict.column('project_id').doUpdateSet(rest))
        .execute()
    },

    update: (projectId, change) =>
      atomically(db, async (tx) => {
        // Under a lock: somebody else may change something else of it, or disconnect it, at the same moment.
        const row = await select(tx, projectId)
          .$if(locksRows(tx), (query) => query.forUpdate())
          .executeTakeFirst()
        if (!row) return false
        const { project_id, ...rest } = fromSource({ ...toSource(row), ...change })
        return changedOne(tx.updateTable('git_sources').set(rest).where('project_id', '=', project_id))
      }),

    async remove(projectId) {
      const { numDeletedRows } = await db
        .deleteFrom('git_sources')
        .where('project_id', '=', projectId)
        .executeTakeFirst()
      return numDeletedRows > 0n
    },

    async remember(projectId, delivery, now) {
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('git_deliveries')
        .values({ project_id: projectId, delivery, created_at: now })
        .onConflict((conflict) => conflict.columns(['project_id', 'delivery']).doNothing())
        .executeTakeFirstOrThrow()
      if (numInsertedOrUpdatedRows !== 1n) return false
      await db
        .deleteFrom('git_deliveries')
        .where('project_id', '=', projectId)
        .where('delivery', 'not in', (eb) =>
          eb
            .selectFrom('git_deliveries')
            .select('delivery')
            .where('project_id', '=', projectId)
            .orderBy('created_at', 'desc')
            .orderBy('delivery', 'desc')
            .limit(DELIVERIES_KEPT),
        )
        .execute()
      return true
    },

    async through(connectionId) {
      const rows = await db
        .selectFrom('git_sources')
        .select(SOURCE)
        .where('connection_id', '=', connectionId)
        .execute()
      return rows.map(toSource)
    },

    async due(now, limit) {
      const rows = await db
        .selectFrom('git_sources')
        .select(SOURCE)
        .where('due_at', '<=', now)
        .orderBy('due_at')
        .limit(limit)
        .execute()
      return rows.map(toSource)
    },
  }
}
