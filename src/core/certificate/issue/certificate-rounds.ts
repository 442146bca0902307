import { DAY, HOUR, MINUTE } from '#contract/time.ts'
import type { JobHandler } from '../../job/job-handler.ts'
import type { JobQueue } from '../../job/job-queue.ts'
import type { Clock } from '../../ports/clock.ts'
import type { SettingStore } from '../../setting/setting-store.ts'
import type { AttemptStore, CertificateStore, HostMark } from '../certificate-store.ts'
import type { ChallengeStore } from '../challenge.ts'
import type { AutomaticCertificates } from './automatic-certificates.ts'
import { renewJob } from './issue-jobs.ts'

const BATCH = 200
/** The most batches of a round. The next round goes on from there. */
const BATCHES = 50

interface RenewParts {
  readonly store: Pick<CertificateStore, 'toRenew'>
  readonly jobs: JobQueue
  readonly clock: Clock
}

/** The certificates whose time has come are renewed, each by a job of its own. */
export const createRenewRound = ({ store, jobs, clock }: RenewParts): JobHandler => ({
  kind: 'certificates.renew',
  summary: 'Renew expiring certificates',
  timeLimit: 5 * MINUTE,
  maxAttempts: 3,
  every: HOUR,
  run: async () => {
    // Those under way stay in this list until they are done, so more than a batch waits for the next round.
    for (const { ownerId, id } of await store.toRenew(clock.now(), BATCH * BATCHES))
      await jobs.enqueue(renewJob(ownerId, id))
  },
})

interface SweepParts {
  readonly automatic: Pick<AutomaticCertificates, 'isCustom' | 'wanted'>
  readonly store: Pick<CertificateStore, 'forHost'>
  readonly attempts: AttemptStore
  readonly challenges: Pick<ChallengeStore, 'prune'>
  readonly settings: SettingStore
  readonly clock: Clock
}

const START: HostMark = { createdAt: 0, host: '' }
/** A process may be about to commit what it dated a moment ago. */
const OVERLAP = 10 * MINUTE

/**
 * Finds hosts whose certificate nobody asked for because a process died between the two, and those whose last attempt
 * failed long enough ago.
 */
export const createSweepRound = (parts: SweepParts): JobHandler => {
  const { automatic, store, attempts, challenges, settings, clock } = parts

  /** Goes on from where the last round ended. */
  async function sweep(
    mark: string,
    after: (last: HostMark, limit: number) => Promise<readonly HostMark[]>,
    signal: AbortSignal,
  ): Promise<void> {
    const settled = clock.now() - OVERLAP
    let last: HostMark = JSON.parse((await settings.get(mark)) ?? JSON.stringify(START))
    for (let i = 0; i < BATCHES && !signal.aborted; i++) {
      const found = await after(last, BATCH)
      for (const { host } of found)
        if (automatic.isCustom(host) && (await store.forHost(host)).length === 0)
          await automatic.wanted([host])
      const reached = found.findLast(({ createdAt }) => createdAt < settled)
      if (reached) await settings.set(mark, JSON.stringify(reached))
      last = found.at(-1) ?? last
      if (found.length < BATCH) return
    }
  }

  return {
    kind: 'certificates.sweep',
    summary: 'Find custom domains without a certificate',
    timeLimit: 5 * MINUTE,
    maxAttempts: 3,
    every: 10 * MINUTE,
    async run(_, { signal }) {
      await challenges.prune(clock.now())
      await attempts.prune(clock.now() - 2 * DAY)
      await automatic.wanted(await attempts.due(clock.now(), BATCH))
      await sweep('certificates-swept', attempts.aliasesAfter, signal)
      await sweep('certificates-swept-domains', attempts.domainsAfter, signal)
    },
  }
}
