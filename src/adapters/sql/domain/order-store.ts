import type { Selectable } from 'kysely'
import { ORDER_STATES, type Order, type OrderState, type OrderStore } from '#core/registrar/order.ts'
import { prepare } from '../database/prepare.ts'
import { atomically } from '../database/transaction.ts'
import type { Db, OrderTable } from '../tables.ts'

type Details = Pick<Order, 'key' | 'kind' | 'creatorId' | 'price' | 'expiresAt'>

const ORDER = ['key', 'owner_id', 'name', 'state', 'details', 'created_at'] as const

const toOrder = (row: Selectable<OrderTable>): Order => ({
  ...(JSON.parse(row.details) as Details),
  ownerId: row.owner_id,
  name: row.name,
  state: row.state as OrderState,
  createdAt: row.created_at,
})

const rankOf = (state: OrderState): number => ORDER_STATES.indexOf(state)

const detailsOf = ({ key, kind, creatorId, price, expiresAt }: Order): string =>
  JSON.stringify({ key, kind, creatorId, price, expiresAt } satisfies Details)

// A row is found by the name alone: that is what lets a name have one order at a time.
const selectOf = prepare<{ name: string }>()((db, { name }) =>
  db.selectFrom('orders').select(ORDER).where('key', '=', name),
)
const selectInState = prepare<{ state: string; before: number; limit: number }>()(
  (db, { state, before, limit }) =>
    db
      .selectFrom('orders')
      .select(ORDER)
      .where('state', '=', state)
      .where('created_at', '<', before)
      .orderBy('created_at')
      .limit(limit),
)

export function createOrderStore(db: Db): OrderStore {
  const find = async (on: Db, name: string): Promise<Order | undefined> => {
    const [row] = await selectOf(on, { name })
    return row && toOrder(row)
  }

  return {
    begin: (order) =>
      atomically(db, async (tx) => {
        const values = {
          owner_id: order.ownerId,
          name: order.name,
          state: order.state,
          details: detailsOf(order),
          created_at: order.createdAt,
        }
        await tx
          .insertInto('orders')
          .values({ key: order.name, ...values })
          .onConflict((conflict) =>
            conflict.column('key').doUpdateSet(values).where('orders.state', '=', 'done'),
          )
          .execute()
        return (await find(tx, order.name)) as Order
      }),

    find: (name) => find(db, name),

    update: (name, key, change) =>
      atomically(db, async (tx) => {
        // Writing what is there already is a lock that every database knows.
        const row = await tx
          .updateTable('orders')
          .set((eb) => ({ state: eb.ref('state') }))
          .where('key', '=', name)
          .returning(ORDER)
          .executeTakeFirst()
        const order = row && toOrder(row)
        if (order?.key !== key || rankOf(change.state) <= rankOf(order.state)) return false
        const changed: Order = { ...order, ...change }
        await tx
          .updateTable('orders')
          .set({ state: changed.state, details: detailsOf(changed) })
          .where('key', '=', name)
          .execute()
        return true
      }),

    cancel: (name, key) =>
      atomically(db, async (tx) => {
        const row = await tx
          .deleteFrom('orders')
          .where('key', '=', name)
          .where('state', '=', 'pending')
          .returning(ORDER)
          .executeTakeFirst()
        // Another order took its place meanwhile: it stays.
        if (row && toOrder(row).key !== key) await tx.insertInto('orders').values(row).execute()
      }),

    inState: async (state, before, limit) => (await selectInState(db, { state, before, limit })).map(toOrder),
  }
}
