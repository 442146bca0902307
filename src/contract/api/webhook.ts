import { Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { PaginationSchema, pageQuery } from '../page.ts'
import { PERSONAL } from '../scopes.ts'
import { Nullable, Time } from './shared.ts'

const common = { teamBySlug: true, access: PERSONAL } as const

const Events = Type.Array(Type.String({ maxLength: 100 }), {
  minItems: 1,
  maxItems: 50,
  description: 'The events to send, for example `deployment.ready`.',
})
const ProjectIds = Type.Array(Type.String({ maxLength: 100 }), { minItems: 1, maxItems: 50 })
const Url = Type.String({ minLength: 1, description: 'Where events are sent: `https://…`.' })

const fields = {
  id: Type.String(),
  url: Type.String(),
  events: Type.Array(Type.String()),
  ownerId: Type.String(),
  projectIds: Type.Optional(Type.Array(Type.String())),
  createdAt: Time,
  updatedAt: Time,
  disabledAt: Type.Optional(Time),
}
const Webhook = Type.Object(fields)

export const createWebhook = endpoint({
  ...common,
  on: 'POST /v1/webhooks',
  summary: 'Create a webhook; its signing secret is shown only once',
  body: Type.Object({ url: Url, events: Events, projectIds: Type.Optional(ProjectIds) }),
  reply: Type.Object({ ...fields, secret: Type.String() }),
})

export const listWebhooks = endpoint({
  ...common,
  on: 'GET /v1/webhooks',
  summary: 'List the webhooks of the account',
  query: Type.Object({ projectId: Type.Optional(Type.String()) }),
  reply: Type.Array(Webhook),
})

export const getWebhook = endpoint({
  ...common,
  on: 'GET /v1/webhooks/:id',
  summary: 'Get a webhook',
  reply: Webhook,
})

export const updateWebhook = endpoint({
  ...common,
  on: 'PATCH /v1/webhooks/:id',
  summary: 'Change a webhook, or re-enable one that was disabled',
  body: Type.Object({
    url: Type.Optional(Url),
    events: Type.Optional(Events),
    projectIds: Type.Optional(Nullable(ProjectIds)),
    enabled: Type.Optional(Type.Boolean()),
  }),
  reply: Webhook,
})

export const deleteWebhook = endpoint({
  ...common,
  on: 'DELETE /v1/webhooks/:id',
  summary: 'Remove a webhook; events not delivered yet are discarded',
  status: 204,
  reply: 'empty',
})

const Delivery = Type.Object({
  id: Type.String(),
  eventId: Type.String(),
  type: Type.String(),
  state: Type.String({ description: '`waiting`, `delivered` or `failed`' }),
  createdAt: Time,
  attempts: Type.Array(
    Type.Object({
      at: Time,
      ms: Type.Integer(),
      status: Nullable(Type.Integer()),
      answer: Type.String({ description: 'The beginning of the response, or why there was none.' }),
    }),
  ),
})

export const listDeliveries = endpoint({
  ...common,
  on: 'GET /v1/webhooks/:id/deliveries',
  summary: 'List the deliveries of a webhook in the last 30 days',
  query: Type.Object(pageQuery),
  reply: Type.Object({ deliveries: Type.Array(Delivery), pagination: PaginationSchema }),
})

export const getDelivery = endpoint({
  ...common,
  on: 'GET /v1/webhooks/:id/deliveries/:deliveryId',
  summary: 'Get a delivery with the exact request',
  reply: Type.Object({
    ...Delivery.properties,
    request: Type.Object({ url: Type.String(), body: Type.String() }),
  }),
})

export const redeliver = endpoint({
  ...common,
  on: 'POST /v1/webhooks/:id/deliveries/:deliveryId/redeliver',
  summary: 'Redeliver an event with the same id',
  status: 202,
  reply: Delivery,
})
