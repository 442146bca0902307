import { newId, teamIdOf } from '#contract/ids.ts'
import type { JobQueue } from '../job/job-queue.ts'
import { queueDelivery } from '../webhook/queue-delivery.ts'
import type { DeliveryStore } from '../webhook/webhook-store.ts'
import type { EventQueue, NewEvent } from './event.ts'
import { type Listeners, targetsOf } from './listeners.ts'

interface QueueParts {
  readonly listeners: ListenerStore
  readonly deliveries: Pick<DeliveryStore, 'add'>
  readonly jobs: JobQueue
  /** Where links lead to. */
  readonly site: string
}

export interface ListenerStore {
  /** Who is to be told of what happens in an account. */
  of(ownerId: string): Promise<Listeners>
}

/** So many milliseconds before its event a delivery falls due: of as many events in one moment, all are due immediately. */
const AHEAD = 1000

/** Turns an event into a delivery for each who wants to know; for nobody, it is nothing. */
export const createEventQueue = ({ listeners, site, ...stores }: QueueParts): EventQueue => {
  /** Events of one moment fall due one after the other, because jobs are taken in that order. */
  let due = 0

  async function tell(event: NewEvent, who: Listeners): Promise<void> {
    const targets = targetsOf(who, event)
    if (targets.length === 0) return
    const eventId = newId.event()
    due = Math.max(event.at - AHEAD, due + 1)
    const body = JSON.stringify(toBody(eventId, event, site))
    const { type, ownerId, at: createdAt } = event
    for (const target of targets)
      await queueDelivery(stores, { eventId, ownerId, target, type, body, createdAt }, due)
  }

  return {
    async emit(...events) {
      const [first] = events
      if (first === undefined) return
      const who = await listeners.of(first.ownerId)
      for (const event of events) await tell(event, who)
    },
  }
}

/** What receivers get. Nothing of it depends on who receives it, so that all of them see the same event. */
const toBody = (id: string, { type, at, ownerId, userId, payload }: NewEvent, site: string) => ({
  id,
  type,
  createdAt: at,
  region: null,
  payload: {
    team: { id: teamIdOf(ownerId) },
    user: { id: userId },
    ...payload,
    ...linksOf(payload, site),
  },
})

const linksOf = ({ links }: NewEvent['payload'], site: string) =>
  links === undefined
    ? {}
    : {
        links: Object.fromEntries(Object.entries(links as object).map(([what, path]) => [what, site + path])),
      }
