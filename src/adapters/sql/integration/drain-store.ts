import { type Selectable, sql } from 'kysely'
import type { Drain } from '#core/drain/drain.ts'
import type { DrainStore } from '#core/drain/drain-store.ts'
import { changedOne } from '../database/changed-one.ts'
import { prepare } from '../database/prepare.ts'
import type { Db, DrainTable } from '../tables.ts'

const DRAIN = [
  'drains.id',
  'drains.owner_id',
  'drains.installation_id',
  'drains.details',
  'drains.status',
  'drains.failing_since',
  'drains.created_at',
] as const

/** What has no column of its own. */
type Details = Omit<Drain, 'id' | 'ownerId' | 'installationId' | 'status' | 'failingSince' | 'createdAt'>

const toDrain = (row: Selectable<DrainTable>): Drain => ({
  ...(JSON.parse(row.details) as Details),
  id: row.id,
  ownerId: row.owner_id,
  installationId: row.installation_id,
  status: row.status,
  failingSince: row.failing_since,
  createdAt: row.created_at,
})

const fromDrain = (drain: Drain) => {
  const { id, ownerId, installationId, status, failingSince, createdAt, ...details } = drain
  return {
    id,
    owner_id: ownerId,
    installation_id: installationId,
    details: JSON.stringify(details satisfies Details),
    status,
    failing_since: failingSince,
    created_at: createdAt,
  }
}

const selectOf = prepare<{ ownerId: string }>()((db, { ownerId }) =>
  db
    .selectFrom('drains')
    .select(DRAIN)
    .where('owner_id', '=', ownerId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc'),
)

const selectFree = prepare<{ worker: string; now: number }>()((db, { worker, now }) =>
  db
    .selectFrom('drains')
    .innerJoin('drain_cursors', 'drain_cursors.drain_id', 'drains.id')
    .select(DRAIN)
    .select(['drain_cursors.position', 'drain_cursors.gap'])
    .where('drains.status', '=', sql.lit('enabled'))
    .where((eb) =>
      eb.or([eb('drain_cursors.worker', '=', worker), eb('drain_cursors.lease_until', '<=', now)]),
    ),
)

export function createDrainStore(db: Db): DrainStore {
  return {
    async add(drain, position) {
      await db.insertInto('drains').values(fromDrain(drain)).execute()
      await db
        .insertInto('drain_cursors')
        .values({ drain_id: drain.id, position, gap: null, worker: null, lease_until: 0 })
        .execute()
    },

    async find(ownerId, id) {
      const row = await db
        .selectFrom('drains')
        .select(DRAIN)
        .where('id', '=', id)
        .where('owner_id', '=', ownerId)
        .executeTakeFirst()
      return row && toDrain(row)
    },

    list: async (ownerId) => (await selectOf(db, { ownerId })).map(toDrain),

    async update(id, { status, failingSince }) {
      return changedOne(
        db
          .updateTable('drains')
          .set({
            ...(status === undefined ? {} : { status }),
            ...(failingSince === undefined ? {} : { failing_since: failingSince }),
          })
          .where('id', '=', id),
      )
    },

    giveUp: (id) =>
      changedOne(
        db
          .updateTable('drains')
          .set({ status: 'errored' })
          .where('id', '=', id)
          .where('status', '=', 'enabled'),
      ),

    async remove(ownerId, id) {
      return changedOne(db.deleteFrom('drains').where('id', '=', id).where('owner_id', '=', ownerId))
    },

    async claim(worker, now, leaseUntil) {
      const free = await selectFree(db, { worker, now })
      // Nothing is written where there are no drains, which is almost everywhere.
      if (free.length === 0) return []
      const taken = await db
        .updateTable('drain_cursors')
        .set({ worker, lease_until: leaseUntil })
        .where(
          'drain_id',
          'in',
          free.map(({ id }) => id),
        )
        .where((eb) => eb.or([eb('worker', '=', worker), eb('lease_until', '<=', now)]))
        .returning(['drain_id', 'position', 'gap'])
        .execute()
      const progress = new Map(taken.map((row) => [row.drain_id, row]))
      return free.flatMap((row) => {
        const mine = progress.get(row.id)
        if (!mine) return []
        const { position, gap } = mine
        return [{ drain: toDrain(row), position, gap: gap === null ? null : JSON.parse(gap) }]
      })
    },

    async save(id, worker, { position, gap }) {
      return changedOne(
        db
          .updateTable('drain_cursors')
          .set({ position, gap: gap === null ? null : JSON.stringify(gap) })
          .where('drain_id', '=', id)
          .where('worker', '=', worker),
      )
    },

    async release(worker) {
      await db
        .updateTable('drain_cursors')
        .set({ worker: null, lease_until: 0 })
        .where('worker', '=', worker)
        .execute()
    },
  }
}
