import { DAY, HOUR, MINUTE, SECOND } from '#contract/time.ts'
import { type Application, clientSecretPurpose } from '../application/application.ts'
import type { JobHandler } from '../job/job-handler.ts'
import type { JobQueue } from '../job/job-queue.ts'
import type { Clock } from '../ports/clock.ts'
import { type Outbound, OutboundFailure } from '../ports/outbound.ts'
import type { Transact } from '../ports/transact.ts'
import type { Vault } from '../ports/vault.ts'
import type { PeopleStores } from '../team/account-people.ts'
import { signatureHeaders } from './signature.ts'
import { type Attempt, type Delivery, type Webhook, webhookPurpose } from './webhook.ts'
import type { DeliveryStore, WebhookStore } from './webhook-store.ts'

export const DELIVER_JOB = 'webhooks.deliver'

/** The pauses between attempts. After the last of them a delivery has failed. */
const PAUSES = [10 * SECOND, MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR, 12 * HOUR]
const ANSWER_TIME = 10 * SECOND
/** A receiver to whom nothing got through for this long is not written to any more. */
const DEAD_AFTER = 3 * DAY

interface DeliverStores {
  readonly deliveries: DeliveryStore
  readonly webhooks: WebhookStore
  readonly jobs: JobQueue
}

interface DeliverParts {
  readonly stores: DeliverStores & {
    readonly applications: { byId(id: string): Promise<Application | undefined> }
  }
  readonly transact: Transact<DeliverStores & PeopleStores>
  readonly outbound: Outbound
  readonly vault: Vault
  readonly clock: Clock
  /** Tells the people of an account that nothing is sent to a webhook any more; inside the transaction. */
  readonly onDead: (stores: DeliverStores & PeopleStores, webhook: Webhook) => Promise<void>
}

interface Receiver {
  readonly url: string
  readonly secret: string
  readonly webhook: Webhook | undefined
}

/** Sends one delivery. Whoever receives it may get it twice, with the same id, but not never. */
export function createDeliverJob(parts: DeliverParts): JobHandler {
  const { stores, transact, outbound, vault, clock } = parts

  async function receiverOf({ target }: Delivery): Promise<Receiver | undefined> {
    if (target.kind === 'webhook') {
      const webhook = await stores.webhooks.byId(target.id)
      if (!webhook || webhook.disabledAt !== null) return undefined
      return {
        url: webhook.url,
        secret: vault.open(webhook.sealedSecret, webhookPurpose(webhook.id)),
        webhook,
      }
    }
    const application = await stores.applications.byId(target.id)
    if (!application || application.webhookUrl === null) return undefined
    const secret = vault.open(application.sealedSecret, clientSecretPurpose(application.id))
    return { url: application.webhookUrl, secret, webhook: undefined }
  }

  async function attempt(
    { body }: Delivery,
    { url, secret }: Receiver,
    signal: AbortSignal,
  ): Promise<Attempt> {
    const at = clock.now()
    const began = clock.monotonic()
    const outcome = await outbound
      .post({
        url,
        headers: {
          'content-type': 'application/json',
          'user-agent': 'Aloft-Webhooks',
          ...signatureHeaders(body, secret),
        },
        body,
        timeoutMs: ANSWER_TIME,
        signal,
      })
      .then(
        ({ status, text }) => ({ status, answer: text }),
        (error: unknown) => {
          if (!(error instanceof OutboundFailure) || signal.aborted) throw error
          return { status: null, answer: error.message }
        },
      )
    return {
      at,
      ms: Math.round(clock.monotonic() - began),
      status: outcome.status,
      answer: outcome.answer.slice(0, 2000),
    }
  }

  /**
   * Remembers since when a webhook does not answer, and gives it up in the end. Only at the last attempt of a delivery:
   * where there are few events, two short failures may be days apart.
   */
  async function judge(
    tx: DeliverStores & PeopleStores,
    known: Webhook,
    { arrived, isLast }: { readonly arrived: boolean; readonly isLast: boolean },
  ): Promise<void> {
    // Locked, so that it is given up once, and not by somebody who does not know that it was enabled again.
    const webhook = await tx.webhooks.lock(known.id)
    if (!webhook || webhook.disabledAt !== null) return
    const now = clock.now()
    if (arrived) {
      if (webhook.failingSince !== null) await tx.webhooks.update(webhook.id, { failingSince: null })
    } else if (webhook.failingSince === null) await tx.webhooks.update(webhook.id, { failingSince: now })
    else if (isLast && now - webhook.failingSince >= DEAD_AFTER) {
      await tx.webhooks.update(webhook.id, { disabledAt: now })
      await parts.onDead(tx, webhook)
    }
  }

  return {
    kind: DELIVER_JOB,
    summary: 'Deliver an event to a webhook or an integration',
    timeLimit: 30 * SECOND,
    maxAttempts: PAUSES.length + 1,
    backOff: (failed) => PAUSES[failed - 1] ?? 12 * HOUR,
    atOnce: 16,
    inOrder: true,
    // Receivers answer as slowly as they like, and an account has many.
    ofOneAccount: 4,
    givesWayAfter: 2 * SECOND,
    async run(payload, { attempt: count, signal }) {
      const delivery = await stores.deliveries.byId((payload as { deliveryId: string }).deliveryId)
      if (delivery?.state !== 'waiting') return
      const receiver = await receiverOf(delivery)
      if (!receiver) {
        const answer = 'the receiver was removed or disabled'
        await stores.deliveries.attempted(
          delivery.id,
          { at: clock.now(), ms: 0, status: null, answer },
          'failed',
        )
        return
      }
      const made = await attempt(delivery, receiver, signal)
      const arrived = made.status !== null && made.status >= 200 && made.status < 300
      const isLast = count > PAUSES.length
      await transact(async (tx) => {
        await tx.deliveries.attempted(
          delivery.id,
          made,
          arrived ? 'delivered' : isLast ? 'failed' : 'waiting',
        )
        if (receiver.webhook) await judge(tx, receiver.webhook, { arrived, isLast })
      })
      if (!arrived && !isLast)
        throw new NotDelivered(`${made.status ?? 'no response'}: ${made.answer.slice(0, 200)}`)
    },
  }
}

class NotDelivered extends Error {
  override readonly name = 'NotDelivered'
}
