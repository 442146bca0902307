import { randomBytes } from 'node:crypto'
import { AloftError, invalidRequest, noSuch } from '#contract/errors.ts'
import { EVENT_TYPES } from '#contract/event-types.ts'
import { newId } from '#contract/ids.ts'
import type { Page, PageQuery } from '#contract/page.ts'
import type { Context } from '../access/context.ts'
import { requirePlan } from '../access/plan.ts'
import type { EventType } from '../event/event.ts'
import type { JobQueue } from '../job/job-queue.ts'
import type { Allows } from '../outbound/allowed-addresses.ts'
import { readUrl } from '../outbound/read-url.ts'
import type { Clock } from '../ports/clock.ts'
import type { Locks } from '../ports/locks.ts'
import type { Transact } from '../ports/transact.ts'
import type { Vault } from '../ports/vault.ts'
import type { ProjectStore } from '../project/project-store.ts'
import { queueDelivery } from './queue-delivery.ts'
import { type Delivery, MOST_WEBHOOKS, type Webhook, webhookPurpose } from './webhook.ts'
import type { DeliveryStore, WebhookStore } from './webhook-store.ts'

interface WebhookRequest {
  readonly url: string
  readonly events: readonly string[]
  readonly projectIds?: readonly string[] | null
}

export interface Webhooks {
  /** The secret is in this answer and nowhere else. */
  create(
    ctx: Context,
    request: WebhookRequest,
  ): Promise<{ readonly webhook: Webhook; readonly secret: string }>
  list(ctx: Context, filter: { readonly projectId?: string }): Promise<readonly Webhook[]>
  get(ctx: Context, id: string): Promise<Webhook>
  /** `enabled: true` starts one again that was given up. */
  change(
    ctx: Context,
    id: string,
    change: Partial<WebhookRequest> & { readonly enabled?: boolean },
  ): Promise<Webhook>
  remove(ctx: Context, id: string): Promise<void>
  deliveries(ctx: Context, id: string, page: PageQuery): Promise<Page<Delivery>>
  delivery(ctx: Context, id: string, deliveryId: string): Promise<Delivery>
  /** Sends the same event again, under the same id. */
  redeliver(ctx: Context, id: string, deliveryId: string): Promise<Delivery>
}

interface WebhookStores {
  readonly locks: Locks
  readonly webhooks: WebhookStore
  readonly deliveries: DeliveryStore
  readonly projects: ProjectStore
  readonly jobs: JobQueue
}

interface WebhookParts {
  readonly stores: WebhookStores
  readonly transact: Transact<WebhookStores>
  readonly vault: Vault
  readonly clock: Clock
  /** Which addresses requests may be sent to. */
  readonly allowsAddress: Allows
}

const unknown = (id: string) => noSuch('webhook', id)

export function createWebhooks(parts: WebhookParts): Webhooks {
  const { stores, transact, vault, clock } = parts

  async function owned(webhooks: WebhookStore, ctx: Context, id: string): Promise<Webhook> {
    const webhook = await webhooks.find(ctx.owner.id, id)
    if (!webhook) throw unknown(id)
    return webhook
  }

  async function ownedDelivery(ctx: Context, id: string, deliveryId: string): Promise<Delivery> {
    await owned(stores.webhooks, ctx, id)
    const delivery = await stores.deliveries.byId(deliveryId)
    if (delivery?.target.kind !== 'webhook' || delivery.target.id !== id)
      throw noSuch('delivery', deliveryId, 'The webhook has')
    return delivery
  }

  /** A projects' id that is not the account's own is refused, rather than never heard of. */
  async function checkProjects(projects: ProjectStore, ctx: Context, ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      const project = await projects.byIdOrName(ctx.owner.id, id)
      if (project?.id !== id) throw invalidRequest(`there is no project \`${id.slice(0, 100)}\``)
    }
  }

  return {
    create(ctx, request) {
      requirePlan(ctx.owner, 'pro', 'Webhooks')
      const now = clock.now()
      const id = newId.webhook()
      const secret = randomBytes(24).toString('hex')
      const webhook: Webhook = {
        id,
        ownerId: ctx.owner.id,
        url: readUrl(request.url, parts.allowsAddress),
        events: readEvents(request.events),
        projectIds: readProjectIds(request.projectIds),
        sealedSecret: vault.seal(secret, webhookPurpose(id)),
        createdAt: now,
        updatedAt: now,
        failingSince: null,
        disabledAt: null,
      }
      return transact(async ({ webhooks, projects, locks }) => {
        await locks.take('webhooks', ctx.owner.id)
        if ((await webhooks.list(ctx.owner.id)).length >= MOST_WEBHOOKS)
          throw new AloftError('conflict', `An account has at most ${MOST_WEBHOOKS} webhooks.`)
        await checkProjects(projects, ctx, webhook.projectIds ?? [])
        await webhooks.add(webhook)
        return { webhook, secret }
      })
    },

    async list(ctx, { projectId }) {
      const all = await stores.webhooks.list(ctx.owner.id)
      return projectId === undefined
        ? all
        : all.filter(({ projectIds }) => projectIds === null || projectIds.includes(projectId))
    },

    get: (ctx, id) => owned(stores.webhooks, ctx, id),

    change(ctx, id, { url, events, projectIds, enabled }) {
      return transact(async ({ webhooks, projects }) => {
        const webhook = await owned(webhooks, ctx, id)
        const now = clock.now()
        const change = {
          ...(url === undefined ? {} : { url: readUrl(url, parts.allowsAddress) }),
          ...(events === undefined ? {} : { events: readEvents(events) }),
          ...(projectIds === undefined ? {} : { projectIds: readProjectIds(projectIds) }),
          ...(enabled === undefined ? {} : { disabledAt: enabled ? null : (webhook.disabledAt ?? now) }),
          ...(enabled === true ? { failingSince: null } : {}),
          updatedAt: now,
        }
        await checkProjects(projects, ctx, change.projectIds ?? [])
        if (!(await webhooks.update(id, change))) throw unknown(id)
        return { ...webhook, ...change }
      })
    },

    async remove(ctx, id) {
      if (!(await transact(({ webhooks }) => webhooks.remove(ctx.owner.id, id)))) throw unknown(id)
    },

    async deliveries(ctx, id, page) {
      await owned(stores.webhooks, ctx, id)
      return stores.deliveries.list(id, page)
    },

    delivery: ownedDelivery,

    async redeliver(ctx, id, deliveryId) {
      const { eventId, ownerId, target, type, body } = await ownedDelivery(ctx, id, deliveryId)
      const again = { eventId, ownerId, target, type, body, createdAt: clock.now() }
      return transact((tx) => queueDelivery(tx, again))
    },
  }
}

function readEvents(events: readonly string[]): readonly EventType[] {
  const known = (event: string): event is EventType => (EVENT_TYPES as readonly string[]).includes(event)
  const unknown = events.find((event) => !known(event))
  if (unknown !== undefined)
    throw new AloftError('invalid_event', `Invalid request: there is no event \`${unknown.slice(0, 100)}\`.`)
  return [...new Set(events.filter(known))]
}

const readProjectIds = (ids: readonly string[] | null | undefined): readonly string[] | null =>
  ids === null || ids === undefined ? null : [...new Set(ids)]
