import type { Selectable } from 'kysely'
import type { Webhook } from '#core/webhook/webhook.ts'
import type { WebhookStore } from '#core/webhook/webhook-store.ts'
import { changedOne } from '../database/changed-one.ts'
import { locksRows } from '../database/dialect/capabilities.ts'
import { prepare } from '../database/prepare.ts'
import type { Db, WebhookTable } from '../tables.ts'

const WEBHOOK = ['id', 'owner_id', 'details', 'sealed_secret', 'disabled_at', 'created_at'] as const

/** What has no column of its own. */
type Details = Omit<Webhook, 'id' | 'ownerId' | 'sealedSecret' | 'disabledAt' | 'createdAt'>

const toWebhook = (row: Selectable<WebhookTable>): Webhook => ({
  ...(JSON.parse(row.details) as Details),
  id: row.id,
  ownerId: row.owner_id,
  sealedSecret: row.sealed_secret,
  disabledAt: row.disabled_at,
  createdAt: row.created_at,
})

const fromWebhook = ({ id, ownerId, sealedSecret, disabledAt, createdAt, ...details }: Webhook) => ({
  id,
  owner_id: ownerId,
  details: JSON.stringify(details satisfies Details),
  sealed_secret: sealedSecret,
  disabled_at: disabledAt,
  created_at: createdAt,
})

const selectOf = prepare<{ ownerId: string }>()((db, { ownerId }) =>
  db
    .selectFrom('webhooks')
    .select(WEBHOOK)
    .where('owner_id', '=', ownerId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc'),
)

const selectById = prepare<{ id: string }>()((db, { id }) =>
  db.selectFrom('webhooks').select(WEBHOOK).where('id', '=', id),
)

export function createWebhookStore(db: Db): WebhookStore {
  const byId = async (id: string) => {
    const [row] = await selectById(db, { id })
    return row && toWebhook(row)
  }
  const lock = async (id: string) => {
    const row = await db
      .selectFrom('webhooks')
      .select(WEBHOOK)
      .where('id', '=', id)
      .$if(locksRows(db), (query) => query.forUpdate())
      .executeTakeFirst()
    return row && toWebhook(row)
  }
  return {
    byId,
    lock,

    async add(webhook) {
      await db.insertInto('webhooks').values(fromWebhook(webhook)).execute()
    },

    async find(ownerId, id) {
      const webhook = await byId(id)
      return webhook?.ownerId === ownerId ? webhook : undefined
    },

    list: async (ownerId) => (await selectOf(db, { ownerId })).map(toWebhook),

    async update(id, change) {
      // Of two who change different things at once, neither undoes what the other did.
      const webhook = await lock(id)
      if (!webhook) return false
      const { details, sealed_secret, disabled_at } = fromWebhook({ ...webhook, ...change })
      return changedOne(
        db.updateTable('webhooks').set({ details, sealed_secret, disabled_at }).where('id', '=', id),
      )
    },

    async remove(ownerId, id) {
      const { numDeletedRows } = await db
        .deleteFrom('webhooks')
        .where('id', '=', id)
        .where('owner_id', '=', ownerId)
        .executeTakeFirst()
      if (numDeletedRows === 0n) return false
      await db.deleteFrom('deliveries').where('target_id', '=', id).execute()
      return true
    },
  }
}
