import type { Page, PageQuery } from '#contract/page.ts'
import type { Attempt, Delivery, Webhook } from './webhook.ts'

export interface WebhookStore {
  add(webhook: Webhook): Promise<void>
  find(ownerId: string, id: string): Promise<Webhook | undefined>
  byId(id: string): Promise<Webhook | undefined>
  /** As it is. Until the transaction ends nobody else changes it. */
  lock(id: string): Promise<Webhook | undefined>
  /** All of an account, newest first; their number is limited when they are added. */
  list(ownerId: string): Promise<readonly Webhook[]>
  update(id: string, change: Partial<Omit<Webhook, 'id' | 'ownerId' | 'createdAt'>>): Promise<boolean>
  /** Removes it with what was sent to it. */
  remove(ownerId: string, id: string): Promise<boolean>
}

export interface DeliveryStore {
  add(delivery: Delivery): Promise<void>
  byId(id: string): Promise<Delivery | undefined>
  /** Newest first. */
  list(targetId: string, page: PageQuery): Promise<Page<Delivery>>
  /** Remembers an attempt and what came of it. What has arrived, or was given up, is not waiting again; what was given up may arrive. */
  attempted(id: string, attempt: Attempt, state: Delivery['state']): Promise<void>
  /** Forgets what is older. Answers how many went. */
  prune(before: number, limit: number): Promise<number>
}
