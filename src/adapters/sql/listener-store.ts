import type { ListenerStore } from '#core/event/event-queue.ts'
import { INSTALLATION, toInstallation } from './installation-row.ts'
import { prepare } from './prepare.ts'
import type { Db } from './tables.ts'
import { createWebhookStore } from './webhook-store.ts'

const selectInstallations = prepare<{ ownerId: string }>()((db, { ownerId }) =>
  db.selectFrom('installations').select(INSTALLATION).where('owner_id', '=', ownerId),
)

export function createListenerStore(db: Db): ListenerStore {
  const webhooks = createWebhookStore(db)
  return {
    of: async (ownerId) => ({
      webhooks: await webhooks.list(ownerId),
      installations: (await selectInstallations(db, { ownerId })).map(toInstallation),
    }),
  }
}
