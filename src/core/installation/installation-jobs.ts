import { DAY, MINUTE } from '#contract/time.ts'
import type { ApplicationStore } from '../application/application-store.ts'
import { REMOVE_JOB, SCOPES_JOB } from '../application/applications.ts'
import type { JobHandler } from '../job/job-handler.ts'
import type { JobQueue } from '../job/job-queue.ts'
import type { QueueMail } from '../mail/queue-mail.ts'
import type { Clock } from '../ports/clock.ts'
import type { Transact } from '../ports/transact.ts'
import { addressesOf } from '../team/account-people.ts'
import type { TeamStore } from '../team/team-store.ts'
import type { UserStore } from '../user/user-store.ts'
import type { Installation } from './installation.ts'
import { moreScopesMail } from './installation-mails.ts'
import type { InstallationStore } from './installation-store.ts'
import { type RemovalStores, removeInstallation } from './remove-installation.ts'
import { followScopes } from './scope-change.ts'

/** Few enough that nobody waits long for them. */
const STEP = 50
/** How long one that nobody answers for waits to be taken over. */
const DISABLED_LIFE = 30 * DAY
/** By then the last that was on the way to it has arrived, or never will. */
const SENT_BY = 2 * DAY

interface JobStores extends RemovalStores {
  readonly applications: ApplicationStore
  readonly installations: InstallationStore
  readonly teams: Pick<TeamStore, 'members'>
  readonly users: Pick<UserStore, 'byId'>
  readonly jobs: JobQueue
}

interface JobParts {
  readonly stores: Pick<JobStores, 'applications' | 'installations'>
  readonly transact: Transact<JobStores>
  readonly queueMail: QueueMail
  readonly clock: Clock
  readonly baseUrl: string
}

/** Tells every installation of an application that it asks for other scopes than it did. */
export const createScopesJob = (parts: JobParts): JobHandler => ({
  kind: SCOPES_JOB,
  summary: 'Update the scopes of an application where it is installed',
  timeLimit: 10 * MINUTE,
  maxAttempts: 10,
  async run(payload, { signal }) {
    const { applicationId } = payload as { applicationId: string }
    for (let after = ''; !signal.aborted; ) {
      const some = await parts.stores.installations.everywhere(applicationId, after, STEP)
      for (const { id } of some) await follow(parts, id)
      const last = some.at(-1)
      if (!last) return
      after = last.ownerId
    }
  },
})

const follow = ({ transact, queueMail, clock, baseUrl }: JobParts, id: string): Promise<void> =>
  transact(async (stores) => {
    const installation = await stores.installations.lock(id)
    const application = installation && (await stores.applications.byId(installation.applicationId))
    if (!installation || !application) return
    const now = clock.now()
    const followed = followScopes(installation, application, now)
    if (!followed) return
    await stores.installations.update(id, { ...followed.change, updatedAt: now })
    if (!followed.news) return
    for (const to of await peopleOf(stores, installation))
      await queueMail(
        stores.jobs,
        moreScopesMail({ to, application: application.name, installation, baseUrl }, followed.news),
      )
  })

/** Whoever installed it and all who answer for the account, each once. */
async function peopleOf(stores: JobStores, { userId, ownerId }: Installation): Promise<readonly string[]> {
  const user = await stores.users.byId(userId)
  return [...new Set([...(user ? [user.email] : []), ...(await addressesOf(stores, ownerId))])]
}

/** Takes an application that was removed out of every account, and forgets it when the last of them was told. */
export const createRemoveJob = ({ stores, transact, clock }: JobParts): JobHandler => ({
  kind: REMOVE_JOB,
  summary: 'Uninstall an application that was removed',
  timeLimit: 10 * MINUTE,
  maxAttempts: 10,
  async run(payload, { signal }) {
    const { applicationId, userId, forget } = payload as {
      applicationId: string
      userId: string
      forget?: boolean
    }
    if (forget) return stores.applications.remove(applicationId)
    while (!signal.aborted) {
      const some = await stores.installations.everywhere(applicationId, '', STEP)
      for (const installation of some)
        await transact(async (tx) => {
          if (await tx.installations.lock(installation.id))
            await removeInstallation(tx, installation, { userId, at: clock.now() })
        })
      if (some.length > 0) continue
      await transact(async ({ jobs }) => {
        const runAt = clock.now() + SENT_BY
        await jobs.enqueue({ kind: REMOVE_JOB, payload: { applicationId, userId, forget: true }, runAt })
      })
      return
    }
  },
})

export const createDeleteDisabledJob = ({ stores, transact, clock }: JobParts): JobHandler => ({
  kind: 'installations.delete-disabled',
  summary: 'Remove disabled integrations after 30 days',
  timeLimit: 10 * MINUTE,
  maxAttempts: 3,
  every: DAY,
  async run(_payload, { signal }) {
    while (!signal.aborted) {
      const now = clock.now()
      const over = await stores.installations.disabledBefore(now - DISABLED_LIFE + 1, STEP)
      for (const { id } of over)
        await transact(async (tx) => {
          const installation = await tx.installations.lock(id)
          // Taken over meanwhile.
          if (!installation || installation.disabledAt === null) return
          await removeInstallation(tx, installation, { userId: null, at: now })
        })
      if (over.length < STEP) return
    }
  },
})
