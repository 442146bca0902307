import type { Selectable } from 'kysely'
import type { Attempt, Delivery } from '#core/webhook/webhook.ts'
import type { DeliveryStore } from '#core/webhook/webhook-store.ts'
import { locksRows } from '../database/dialect/capabilities.ts'
import { knownLimit } from '../database/known-limit.ts'
import { newestFirst, type PageRange, readPage } from '../database/page.ts'
import { prepare } from '../database/prepare.ts'
import { atomically } from '../database/transaction.ts'
import type { Db, DeliveryTable } from '../tables.ts'

const DELIVERY = [
  'id',
  'event_id',
  'owner_id',
  'target_kind',
  'target_id',
  'type',
  'body',
  'state',
  'attempts',
  'created_at',
] as const

const toDelivery = (row: Selectable<DeliveryTable>): Delivery => ({
  id: row.id,
  eventId: row.event_id,
  ownerId: row.owner_id,
  target: { kind: row.target_kind, id: row.target_id },
  type: row.type,
  body: row.body,
  state: row.state,
  attempts: JSON.parse(row.attempts) as readonly Attempt[],
  createdAt: row.created_at,
})

const selectById = prepare<{ id: string }>()((db, { id }) =>
  db.selectFrom('deliveries').select(DELIVERY).where('id', '=', id),
)

const selectOf = prepare<{ targetId: string } & PageRange>()((db, range) =>
  newestFirst(db.selectFrom('deliveries').select(DELIVERY).where('target_id', '=', range.targetId), range),
)

export function createDeliveryStore(db: Db): DeliveryStore {
  const byId = async (id: string) => {
    const [row] = await selectById(db, { id })
    return row && toDelivery(row)
  }
  return {
    byId,

    async add({ id, eventId, ownerId, target, type, body, state, attempts, createdAt }) {
      await db
        .insertInto('deliveries')
        .values({
          id,
          event_id: eventId,
          owner_id: ownerId,
          target_kind: target.kind,
          target_id: target.id,
          type,
          body,
          state,
          attempts: JSON.stringify(attempts),
          created_at: createdAt,
        })
        .execute()
    },

    list: (targetId, page) =>
      readPage(page, {
        select: (range) => selectOf(db, { targetId, ...range }),
        timeOf: (row) => row.created_at,
        show: toDelivery,
      }),

    attempted: (id, attempt, state) =>
      atomically(db, async (tx) => {
        // Of two attempts at once, each adds to what the other has left.
        const row = await tx
          .selectFrom('deliveries')
          .select(['state', 'attempts'])
          .where('id', '=', id)
          .$if(locksRows(tx), (query) => query.forUpdate())
          .executeTakeFirst()
        if (!row) return
        const attempts = [...(JSON.parse(row.attempts) as readonly Attempt[]), attempt]
        await tx
          .updateTable('deliveries')
          .set({
            state: row.state === 'waiting' || state === 'delivered' ? state : row.state,
            attempts: JSON.stringify(attempts),
          })
          .where('id', '=', id)
          .execute()
      }),

    async prune(before, limit) {
      const { numDeletedRows } = await db
        .deleteFrom('deliveries')
        .where('id', 'in', (eb) =>
          eb.selectFrom('deliveries').select('id').where('created_at', '<', before).limit(knownLimit(limit)),
        )
        .executeTakeFirst()
      return Number(numDeletedRows)
    },
  }
}
