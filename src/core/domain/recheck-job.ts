import { DAY, HOUR, MINUTE } from '#contract/time.ts'
import type { JobHandler } from '../job/job-handler.ts'
import { type CheckParts, checkDomain } from './check-domain.ts'
import { type Domain, serviceTypeOf } from './domain.ts'

/** Somebody who has just added a domain waits for it; later on it is looked at less often, and in the end not at all. */
const EAGER = { every: 5 * MINUTE, age: DAY }
const PATIENT = { every: HOUR, age: 8 * DAY }

/** Those of the last round were looked up a little after its start. */
const SLACK = MINUTE

/** Those that others answer for may be delegated to us at any time. */
const SETTLED = { every: HOUR, batch: 1000 }

const BATCH = 100
const AT_ONCE = 8

export const createRecheckJob = (parts: CheckParts): JobHandler => ({
  kind: 'domains.recheck',
  summary: 'Check the verification records and nameservers of domains again',
  timeLimit: 4 * MINUTE,
  maxAttempts: 1,
  every: EAGER.every,
  async run(_payload, { signal, log }) {
    const now = parts.clock.now()
    const due = ({ every, age }: typeof EAGER) =>
      parts.store.unverified(now - every + SLACK, now - age, BATCH)
    const domains = new Map<string, Domain>()
    for (const domain of [...(await due(EAGER)), ...(await due(PATIENT))]) domains.set(domain.id, domain)
    const settled = await parts.store.verified(now - SETTLED.every + SLACK + EAGER.every, SETTLED.batch)
    const isOurs = (domain: Domain) => serviceTypeOf(domain, parts.nameservers) === 'provider.world'
    // One that we answer for stays so until somebody says otherwise: what DNS seems to say in a bad moment is not enough.
    await parts.store.touch(
      settled.filter(isOurs).map(({ id }) => id),
      now,
    )
    const waiting = [...domains.values(), ...settled.filter((domain) => !isOurs(domain))]

    async function work(): Promise<void> {
      for (;;) {
        const domain = waiting.shift()
        if (!domain || signal.aborted) return
        try {
          await checkDomain(parts, domain)
        } catch (error) {
          log.warn({ err: error, domain: domain.name }, 'a domain could not be looked up')
        }
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
  },
})
