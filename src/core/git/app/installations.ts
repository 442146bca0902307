import { AloftError } from '#contract/errors.ts'
import { newId } from '#contract/ids.ts'
import { MINUTE } from '#contract/time.ts'
import type { JobHandler } from '../../job/job-handler.ts'
import type { JobQueue } from '../../job/job-queue.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Locks } from '../../ports/locks.ts'
import type { Transact } from '../../ports/transact.ts'
import { type ConnectionStore, type GitConnection, MOST_CONNECTIONS } from '../host/connection.ts'
import { HostRefusal } from '../host/host-api.ts'
import type { SourceStore } from '../source/source.ts'
import { queueSync } from '../source/sync-job.ts'
import type { AppStore, GitApp } from './app.ts'
import type { AppAccess } from './app-access.ts'
import type { AppKey, HostApps } from './host-apps.ts'

const INSTALLATIONS_JOB = 'git.installations'
const keyOf = (appId: string): string => `git-installations:${appId}`

/** One waits at most, however often the host calls. */
export const queueInstallations = (jobs: JobQueue, appId: string): Promise<string> =>
  jobs.enqueue({ kind: INSTALLATIONS_JOB, payload: { appId }, key: keyOf(appId) })

interface InstallationsParts {
  readonly connections: ConnectionStore
  readonly sources: Pick<SourceStore, 'through'>
  readonly access: AppAccess
  readonly hostApps: Pick<HostApps, 'installations'>
  readonly transact: Transact<{
    readonly connections: ConnectionStore
    readonly jobs: JobQueue
    readonly locks: Locks
  }>
  readonly clock: Clock
}

/**
 * Asks the host where an app is installed. Each place is a connection; of those that are gone or suspended, and of the
 * projects that are deployed through them, it is told. Rejects as `HostAccounts` does.
 */
export async function refreshInstallations(
  { connections, sources, access, hostApps, transact, clock }: InstallationsParts,
  app: GitApp,
  key: AppKey,
): Promise<readonly GitConnection[]> {
  const { id, ownerId, url, createdBy } = app
  const found = await hostApps.installations(key, AbortSignal.timeout(MINUTE)).catch((error: unknown) => {
    // Where the host does not know the app any more, each connection says so.
    if (error instanceof HostRefusal) return []
    throw error
  })
  await transact(async (stores) => {
    await stores.locks.take('connections', ownerId)
    const known = await stores.connections.list(ownerId)
    const isNew = (installationId: string) =>
      !known.some(({ app: of }) => of?.id === id && of.installationId === installationId)
    const added = found.filter((one) => isNew(one.id))
    if (known.length + added.length > MOST_CONNECTIONS)
      throw new AloftError('conflict', `An account can connect at most ${MOST_CONNECTIONS} Git hosts.`)
    const now = clock.now()
    for (const one of added)
      await stores.connections.add({
        ...{ id: newId.gitConnection(), ownerId, kind: 'github', url, username: null, sealedToken: null },
        ...{ login: one.login, userId: one.accountId, app: { id, installationId: one.id } },
        ...{ createdBy, createdAt: now, checkedAt: now, problem: null },
      })
  })
  const looked: GitConnection[] = []
  for (const connection of await connections.list(ownerId)) {
    if (connection.app?.id !== id) continue
    const problem = await access.look(connection)
    looked.push({ ...connection, problem })
    // The connection may have learnt it before from one of them; whichever of them says otherwise is asked again.
    const outdated = (await sources.through(connection.id)).filter(
      (source) => (source.problem === null) !== (problem === null),
    )
    await transact(async ({ jobs }) => {
      for (const source of outdated) await queueSync(jobs, source, 'poll')
    })
  }
  return looked
}

export type RefreshInstallations = (app: GitApp, key: AppKey) => Promise<readonly GitConnection[]>

/** An app was installed somewhere, suspended, taken up again or removed. */
export const createInstallationsJob = ({
  apps,
  access,
  refresh,
  transact,
}: {
  readonly apps: Pick<AppStore, 'byId'>
  readonly access: Pick<AppAccess, 'keyOf'>
  readonly refresh: RefreshInstallations
  readonly transact: Transact<{ readonly jobs: JobQueue }>
}): JobHandler => ({
  kind: INSTALLATIONS_JOB,
  summary: 'Ask a Git host where an app is installed',
  timeLimit: 5 * MINUTE,
  maxAttempts: 8,
  // The host is one that the account has named, and may answer as slowly as it likes.
  apart: 2,
  async run({ appId }) {
    // Whoever calls from now on may tell of what came after the host was asked.
    await transact(({ jobs }) => jobs.begun(keyOf(String(appId))))
    const app = await apps.byId(String(appId))
    const key = app && access.keyOf(app)
    if (app && key) await refresh(app, key)
  },
})
