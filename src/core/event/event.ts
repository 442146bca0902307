import type { EVENT_TYPES } from '#contract/event-types.ts'

/** Payloads are as they are sent, beside the ids of team and user. */
export type EventType = (typeof EVENT_TYPES)[number]

export interface NewEvent {
  readonly type: EventType
  /** The account that it happened in. */
  readonly ownerId: string
  /** Who did it; null for the platform itself. */
  readonly userId: string | null
  readonly projectId: string | null
  /** The installation that it is about; those events go to its integration alone. */
  readonly configurationId?: string
  readonly payload: Readonly<Record<string, unknown>>
  readonly at: number
}

/** Written in the transaction that causes the event: when that commits, everybody who asked will be told. */
export interface EventQueue {
  /** All of one account, in the order in which they are told. */
  emit(...events: readonly NewEvent[]): Promise<void>
}
