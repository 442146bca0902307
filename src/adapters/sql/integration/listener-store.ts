import type { Application } from '#core/application/application.ts'
import type { ListenerStore } from '#core/event/event-queue.ts'
import { prepare } from '../database/prepare.ts'
import type { Db } from '../tables.ts'
import { INSTALLATION, toInstallation } from './installation-row.ts'
import { createWebhookStore } from './webhook-store.ts'

const selectInstallations = prepare<{ ownerId: string }>()((db, { ownerId }) =>
  db
    .selectFrom('installations')
    .innerJoin('applications', 'applications.id', 'installations.application_id')
    .select(INSTALLATION)
    .select('applications.details as application_details')
    .where('installations.owner_id', '=', ownerId),
)

const hasAddress = (details: string): boolean =>
  (JSON.parse(details) as Pick<Application, 'webhookUrl'>).webhookUrl !== null

export function createListenerStore(db: Db): ListenerStore {
  const webhooks = createWebhookStore(db)
  return {
    of: async (ownerId) => ({
      webhooks: await webhooks.list(ownerId),
      installations: (await selectInstallations(db, { ownerId }))
        .filter(({ application_details }) => hasAddress(application_details))
        .map(toInstallation),
    }),
  }
}
