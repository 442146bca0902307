import * as api from '#contract/api/webhook.ts'
import { mapPage, PAGE_LIMIT } from '#contract/page.ts'
import type { Delivery, Webhook } from '#core/webhook/webhook.ts'
import type { Webhooks } from '#core/webhook/webhooks.ts'
import { type Route, route } from '../route.ts'

const shown = (webhook: Webhook) => {
  const { id, url, events, ownerId, projectIds, createdAt, updatedAt, disabledAt } = webhook
  return {
    ...{ id, url, events: [...events], ownerId, createdAt, updatedAt },
    ...(projectIds === null ? {} : { projectIds: [...projectIds] }),
    ...(disabledAt === null ? {} : { disabledAt }),
  }
}

const delivery = ({ id, eventId, type, state, createdAt, attempts }: Delivery) => ({
  ...{ id, eventId, type, state, createdAt },
  attempts: attempts.map(({ at, ms, status, answer }) => ({ at, ms, status, answer })),
})

export const webhookRoutes = (webhooks: Webhooks): readonly Route[] => [
  route(api.createWebhook, async (ctx, { body }) => {
    const { webhook, secret } = await webhooks.create(ctx, body)
    return { ...shown(webhook), secret }
  }),
  route(api.listWebhooks, async (ctx, { query }) => (await webhooks.list(ctx, query)).map(shown)),
  route(api.getWebhook, async (ctx, { params }) => shown(await webhooks.get(ctx, params.id))),
  route(api.updateWebhook, async (ctx, { params, body }) =>
    shown(await webhooks.change(ctx, params.id, body)),
  ),
  route(api.deleteWebhook, async (ctx, { params }) => {
    await webhooks.remove(ctx, params.id)
    return undefined
  }),
  route(api.listDeliveries, async (ctx, { params, query }) => {
    const page = await webhooks.deliveries(ctx, params.id, { limit: PAGE_LIMIT.current, ...query })
    return { deliveries: mapPage(page, delivery), pagination: page.pagination }
  }),
  route(api.getDelivery, async (ctx, { params }) => {
    const found = await webhooks.delivery(ctx, params.id, params.deliveryId)
    const { url } = await webhooks.get(ctx, params.id)
    return { ...delivery(found), request: { url, body: found.body } }
  }),
  route(api.redeliver, async (ctx, { params }) =>
    delivery(await webhooks.redeliver(ctx, params.id, params.deliveryId)),
  ),
]
