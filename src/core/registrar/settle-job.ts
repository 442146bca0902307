import { MINUTE } from '#contract/time.ts'
import type { JobHandler, JobRun } from '../job/job-handler.ts'
import type { Registrar } from '../ports/registrar.ts'
import type { Order, OrderStore } from './order.ts'
import { type SettleParts, showBought, showCancelled, showMoved, showMoving } from './settle-order.ts'

interface JobParts extends SettleParts {
  readonly registrar: Registrar
  readonly orders: OrderStore
}

/** Longer than any request waits for the registrar: nobody is about to pay for what is this old. */
const ABANDONED = 15 * MINUTE
const AT_ONCE = 500

/** One order that fails does not hold up the others. */
async function each(
  { log, signal }: JobRun,
  orders: readonly Order[],
  work: (order: Order) => Promise<unknown>,
): Promise<void> {
  for (const order of orders) {
    if (signal.aborted) return
    await work(order).catch((error: unknown) =>
      log.error({ err: error, name: order.name, order: order.key }, 'an order could not be settled'),
    )
  }
}

/** Finishes what a crash or a silent registrar has left between payment and domain. Nothing is paid here. */
export const createSettleJob = (parts: JobParts): JobHandler => {
  const { registrar, orders, clock } = parts

  async function settleLost(order: Order): Promise<void> {
    const { kind, name, key } = order
    if (kind === 'buy') {
      const registration = await registrar.bought(order)
      if (!registration) return orders.cancel(name, key)
      await orders.update(name, key, { state: 'paid', ...registration })
      await showBought(parts, order, registration.expiresAt)
    } else if ((await registrar.transferState(name)).status === undefined) await orders.cancel(name, key)
    else await showMoving(parts, order)
  }

  return {
    kind: 'registrar.settle',
    summary: 'Add domains that were paid for to their accounts after an interruption',
    timeLimit: 5 * MINUTE,
    maxAttempts: 3,
    every: 5 * MINUTE,
    async run(_payload, run) {
      const now = clock.now()
      await each(run, await orders.inState('paid', now, AT_ONCE), (order) =>
        showBought(parts, order, order.expiresAt ?? now),
      )
      await each(run, await orders.inState('pending', now - ABANDONED, AT_ONCE), settleLost)
    },
  }
}

export const createTransfersJob = (parts: JobParts): JobHandler => {
  const { registrar, orders, clock } = parts

  return {
    kind: 'registrar.transfers',
    summary: 'Check the progress of domain transfers',
    timeLimit: 5 * MINUTE,
    maxAttempts: 3,
    every: MINUTE,
    run: async (_payload, run) =>
      each(run, await orders.inState('moving', clock.now(), AT_ONCE), async (order) => {
        const { status, expiresAt } = await registrar.transferState(order.name)
        if (status === 'completed') {
          await registrar.delegate(order.name)
          await showMoved(parts, order, expiresAt)
        } else if (status === 'cancelled') await showCancelled(parts, order)
      }),
  }
}
