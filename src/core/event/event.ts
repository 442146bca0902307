/** What somebody outside may want to be told. Payloads are as they are sent, beside the ids of team and user. */
export const EVENT_TYPES = [
  'project.created',
  'project.removed',
  'deployment.created',
  'deployment.succeeded',
  'deployment.ready',
  'deployment.error',
  'deployment.canceled',
  'deployment.promoted',
  'cron.failed',
  'cron.missed',
  'domain.created',
  'project.domain.created',
  'project.domain.verified',
  'project.domain.deleted',
  'integration-configuration.removed',
  'integration-configuration.permission-upgraded',
  'integration-configuration.scope-change-confirmed',
] as const
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
