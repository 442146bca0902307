import { type Selectable, sql } from 'kysely'
import { NOTHING_REPORTED, OPEN_STATES, type Push } from '#core/git/push/push.ts'
import type { PushStore } from '#core/git/push/push-store.ts'
import { changedOne } from '../database/changed-one.ts'
import { locksRows } from '../database/dialect/capabilities.ts'
import { knownLimit } from '../database/known-limit.ts'
import { newestFirst, type PageRange, readPage } from '../database/page.ts'
import { prepare } from '../database/prepare.ts'
import { atomically } from '../database/transaction.ts'
import type { Db, GitPushTable } from '../tables.ts'

const PUSH = [
  'id',
  'owner_id',
  'project_id',
  'ref',
  'state',
  'deployment_id',
  'details',
  'created_at',
] as const

/** What has no column of its own. */
type Details = Omit<Push, 'id' | 'ownerId' | 'projectId' | 'ref' | 'state' | 'deploymentId' | 'createdAt'>

const toPush = (row: Selectable<GitPushTable>): Push => ({
  // Those that came before there were pull requests are of none.
  pull: null,
  told: NOTHING_REPORTED,
  ...(JSON.parse(row.details) as Omit<Details, 'pull' | 'told'> & Partial<Details>),
  id: row.id,
  ownerId: row.owner_id,
  projectId: row.project_id,
  ref: row.ref,
  state: row.state,
  deploymentId: row.deployment_id,
  createdAt: row.created_at,
})

const fromPush = ({ id, ownerId, projectId, ref, state, deploymentId, createdAt, ...details }: Push) => ({
  id,
  owner_id: ownerId,
  project_id: projectId,
  ref,
  state,
  deployment_id: deploymentId,
  details: JSON.stringify(details satisfies Details),
  created_at: createdAt,
})

const selectById = prepare<{ id: string }>()((db, { id }) =>
  db.selectFrom('git_pushes').select(PUSH).where('id', '=', id),
)
const selectLocked = prepare<{ id: string }>()((db, { id }) =>
  db
    .selectFrom('git_pushes')
    .select(PUSH)
    .where('id', '=', id)
    .$if(locksRows(db), (query) => query.forUpdate()),
)

const selectOf = prepare<{ projectId: string } & PageRange>()((db, range) =>
  newestFirst(db.selectFrom('git_pushes').select(PUSH).where('project_id', '=', range.projectId), range),
)

export function createPushStore(db: Db): PushStore {
  const byId = async (id: string) => {
    const [row] = await selectById(db, { id })
    return row && toPush(row)
  }
  const newest = async (
    projectId: string,
    like: { readonly ref?: string; readonly state?: Push['state'] },
  ) => {
    const row = await db
      .selectFrom('git_pushes')
      .select(PUSH)
      .where('project_id', '=', projectId)
      .where((eb) => eb.and(like))
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst()
    return row && toPush(row)
  }
  return {
    byId,

    async add(push) {
      await db.insertInto('git_pushes').values(fromPush(push)).execute()
    },

    list: (projectId, page) =>
      readPage(page, {
        select: (range) => selectOf(db, { projectId, ...range }),
        timeOf: (row) => row.created_at,
        show: toPush,
      }),

    async openOf(projectId, ref) {
      const rows = await db
        .selectFrom('git_pushes')
        .select(PUSH)
        .where('project_id', '=', projectId)
        .where('ref', '=', ref)
        .where('state', 'in', [...OPEN_STATES, 'held'])
        .orderBy('created_at')
        .orderBy('id')
        .execute()
      return rows.map(toPush)
    },

    newestOf: (projectId, ref) => newest(projectId, { ref }),

    lastDeployed: (projectId, ref) =>
      newest(projectId, { ...(ref === undefined ? {} : { ref }), state: 'deployed' }),

    update: (id, from, change) =>
      atomically(db, async (tx) => {
        // Of two who change different things at once, neither undoes what the other did.
        const [row] = await selectLocked(tx, { id })
        if (!row || !from.includes(row.state)) return false
        const { state, deployment_id, details } = fromPush({ ...toPush(row), ...change })
        return changedOne(
          tx
            .updateTable('git_pushes')
            .set({ state, deployment_id, details })
            .where('id', '=', id)
            .where('state', 'in', [...from]),
        )
      }),

    async overdue(before, limit) {
      const rows = await db
        .selectFrom('git_pushes')
        .select(PUSH)
        // As the index has it, letter for letter.
        .where(sql<boolean>`state in ('receiving', 'queued', 'waiting')`)
        .where('created_at', '<', before)
        .orderBy('created_at')
        .orderBy('id')
        .limit(limit)
        .execute()
      return rows.map(toPush)
    },

    async keepNewest(projectId, ref, count) {
      await db
        .deleteFrom('git_pushes')
        .where('project_id', '=', projectId)
        .where('ref', '=', ref)
        .where('id', 'not in', (eb) =>
          eb
            .selectFrom('git_pushes')
            .select('id')
            .where('project_id', '=', projectId)
            .where('ref', '=', ref)
            .orderBy('created_at', 'desc')
            .orderBy('id', 'desc')
            .limit(count),
        )
        .execute()
    },

    async prune(before, limit) {
      const { numDeletedRows } = await db
        .deleteFrom('git_pushes')
        .where('id', 'in', (eb) =>
          eb
            .selectFrom('git_pushes')
            .select('id')
            .where('created_at', '<', before)
            .where('state', 'not in', [...OPEN_STATES])
            .limit(knownLimit(limit)),
        )
        .executeTakeFirst()
      return Number(numDeletedRows)
    },
  }
}
