import type { ApplicationStore } from '../application/application-store.ts'
import type { JobQueue } from '../job/job-queue.ts'
import type { QueueMail } from '../mail/queue-mail.ts'
import type { Clock } from '../ports/clock.ts'
import { addressesOf } from '../team/account-people.ts'
import type { TeamStore } from '../team/team-store.ts'
import type { UserStore } from '../user/user-store.ts'
import { disabledMail } from './installation-mails.ts'
import type { InstallationStore } from './installation-store.ts'

export interface DisableStores {
  readonly applications: Pick<ApplicationStore, 'byId'>
  readonly installations: Pick<InstallationStore, 'byUser' | 'update'>
  readonly teams: Pick<TeamStore, 'members'>
  readonly users: Pick<UserStore, 'byId'>
  readonly jobs: JobQueue
}

const OWNER_LEFT = 'original-owner-left-the-team'

/** Switches off what somebody who is leaving a team has installed there, inside the transaction in which they leave. */
export const createDisableInstallations =
  ({
    queueMail,
    clock,
    baseUrl,
  }: {
    readonly queueMail: QueueMail
    readonly clock: Clock
    readonly baseUrl: string
  }) =>
  async (stores: DisableStores, teamId: string, userId: string): Promise<void> => {
    const theirs = (await stores.installations.byUser(teamId, userId)).filter(
      ({ disabledAt }) => disabledAt === null,
    )
    if (theirs.length === 0) return
    const now = clock.now()
    const addresses = await addressesOf(stores, teamId)
    for (const installation of theirs) {
      await stores.installations.update(installation.id, {
        disabledAt: now,
        disabledReason: OWNER_LEFT,
        updatedAt: now,
      })
      const application =
        (await stores.applications.byId(installation.applicationId))?.name ?? 'An application'
      for (const to of addresses)
        await queueMail(stores.jobs, disabledMail({ to, application, installation, baseUrl }))
    }
  }
