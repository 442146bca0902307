import { isBlocked } from '#core/access/soft-block.ts'
import { deadDrainMail } from '#core/drain/dead-drain-mail.ts'
import { DRAINS_TOPIC } from '#core/drain/drain.ts'
import { DrainSender } from '#core/drain/drain-sender.ts'
import { createDrains, type Drains } from '#core/drain/drains.ts'
import { createFindLogged } from '#core/drain/logged-deployments.ts'
import { createQueueMail } from '#core/mail/queue-mail.ts'
import { addressesOf } from '#core/team/account-people.ts'
import type { Config } from '../../config/config.ts'
import { openAllows } from './outbound.ts'
import type { Parts } from './parts.ts'

export const openDrains = (config: Config, parts: Parts): Drains =>
  createDrains({
    ...parts,
    allowsAddress: openAllows(config),
    verifies: config.verifyDrains === 'on',
    onChanged: () => parts.bus.publish(DRAINS_TOPIC, ''),
  })

/** Sends logs from this process; the lease of each drain sees to it that no other does at the same time. */
export function createDrainSender({ baseUrl }: Config, parts: Parts, worker: string): DrainSender {
  const { stores, transact, clock, vault } = parts
  const queueMail = createQueueMail(vault)
  return new DrainSender({
    ...parts,
    drains: stores.drains,
    installations: stores.installations,
    transact,
    findLogged: createFindLogged(stores.deployments, clock),
    isBlocked: (ownerId) => isBlocked(stores, ownerId),
    async onDead(within, drain) {
      for (const address of await addressesOf(within, drain.ownerId))
        await queueMail(within.jobs, deadDrainMail(address, drain, baseUrl))
    },
    worker,
    scheme: baseUrl.startsWith('https:') ? 'https' : 'http',
  })
}
