import type { Log } from '../ports/log.ts'
import type { Transact } from '../ports/transact.ts'
import type { ProjectDomainStore } from '../project-domain/project-domain-store.ts'
import type { TeamStore } from '../team/team-store.ts'
import type { UserStore } from '../user/user-store.ts'
import type { HostStore } from './host-store.ts'
import { isReservedHost, type PlatformNames, reservedLabels } from './platform-names.ts'

interface ReleaseStores {
  readonly hosts: HostStore
  readonly projectDomains: Pick<ProjectDomainStore, 'holders' | 'remove'>
  readonly teams: Pick<TeamStore, 'bySlug'>
  readonly users: Pick<UserStore, 'byUsername'>
}

interface ReleaseParts {
  readonly transact: Transact<ReleaseStores>
  readonly names: PlatformNames
  readonly onHostsChanged: (hosts: readonly string[]) => void
  readonly log: Log
}

const PAGE = 100

/**
 * Takes back the names of the platform that were given away before they were reserved. It runs at every start and not
 * as a migration, because the settings say which names these are: a new host of the API may have been somebody's alias.
 */
export async function releaseReserved({ transact, names, onHostsChanged, log }: ReleaseParts): Promise<void> {
  const released = await transact(async (stores) => {
    const taken: string[] = []
    for (const host of await candidates(stores, names)) {
      const owners = await stores.projectDomains.holders(host)
      for (const { projectId } of owners) await stores.projectDomains.remove(projectId, host)
      const holder = await stores.hosts.holder(host)
      // The host of a deployment is that for good, and none of them was ever one of these names.
      if (holder?.kind === 'alias') await stores.hosts.release(host)
      if (holder?.kind === 'alias' || owners.length > 0) taken.push(host)
    }
    return taken
  })
  for (const host of released)
    log.warn({ host }, 'this name is reserved for the platform: the alias or domain that used it was removed')
  onHostsChanged(released)
}

/** The names themselves, and those under a label that is an account's. */
async function candidates(stores: ReleaseStores, names: PlatformNames): Promise<ReadonlySet<string>> {
  const { domain, own } = names
  const found = new Set([...own, domain, `*.${domain}`])
  for (const label of reservedLabels()) {
    const name = `${label}.${domain}`
    found.add(name)
    const account = (await stores.teams.bySlug(label)) ?? (await stores.users.byUsername(label))
    if (!account) continue
    for (let until: number | undefined; ; ) {
      const page = await stores.hosts.list(
        account.id,
        { limit: PAGE, ...(until === undefined ? {} : { until }) },
        { domain: name },
      )
      for (const { host } of page.items) if (isReservedHost(names, host)) found.add(host)
      if (page.pagination.next === null) break
      until = page.pagination.next
    }
  }
  return found
}
