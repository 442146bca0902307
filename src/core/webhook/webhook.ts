import type { EventType } from '../event/event.ts'

/** Somebody to be told what happens in an account. */
export interface Webhook {
  readonly id: string
  readonly ownerId: string
  readonly url: string
  readonly events: readonly EventType[]
  /** Only what happens in these; null: in all. */
  readonly projectIds: readonly string[] | null
  /** Signs what is sent; shown once. */
  readonly sealedSecret: string
  readonly createdAt: number
  readonly updatedAt: number
  /** Since when nothing that was sent has arrived. */
  readonly failingSince: number | null
  /** Since when nothing is sent, because nobody answered for days. */
  readonly disabledAt: number | null
}

/** How many an account may have. */
export const MOST_WEBHOOKS = 20

export const webhookPurpose = (webhookId: string): string => `webhook-secret ${webhookId}`

/** One event on its way to one receiver. */
export interface Delivery {
  readonly id: string
  /** The same for every receiver and every attempt. */
  readonly eventId: string
  readonly ownerId: string
  readonly target: DeliveryTarget
  readonly type: EventType
  /** Exactly what is sent. */
  readonly body: string
  readonly state: 'waiting' | 'delivered' | 'failed'
  readonly attempts: readonly Attempt[]
  readonly createdAt: number
}

export type DeliveryTarget =
  | { readonly kind: 'webhook'; readonly id: string }
  /** The id is that of the application: what it is told last is that its installation is gone. */
  | { readonly kind: 'integration'; readonly id: string }

export interface Attempt {
  readonly at: number
  readonly ms: number
  /** Null when there was no answer. */
  readonly status: number | null
  /** The beginning of the answer, or why there was none. */
  readonly answer: string
}
