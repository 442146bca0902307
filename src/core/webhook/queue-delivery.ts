import { newId } from '#contract/ids.ts'
import { shareOf } from '../job/job-handler.ts'
import type { JobQueue } from '../job/job-queue.ts'
import { DELIVER_JOB } from './deliver-job.ts'
import type { Delivery } from './webhook.ts'
import type { DeliveryStore } from './webhook-store.ts'

interface QueueStores {
  readonly deliveries: Pick<DeliveryStore, 'add'>
  readonly jobs: JobQueue
}

/** Has an event sent to one receiver, as a part of the caller's transaction. A receiver is told of what
 * happens in one account in the order of `runAt`. */
export async function queueDelivery(
  { deliveries, jobs }: QueueStores,
  given: Pick<Delivery, 'eventId' | 'ownerId' | 'target' | 'type' | 'body' | 'createdAt'>,
  runAt?: number,
): Promise<Delivery> {
  const delivery: Delivery = { ...given, id: newId.delivery(), state: 'waiting', attempts: [] }
  await deliveries.add(delivery)
  await jobs.enqueue({
    kind: DELIVER_JOB,
    payload: { deliveryId: delivery.id },
    share: shareOf(given.ownerId, given.target.id),
    ...(runAt === undefined ? {} : { runAt }),
  })
  return delivery
}
