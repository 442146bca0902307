import type { EventQueue } from '../event/event.ts'
import { projectDomainEvent } from '../event/event-payloads.ts'
import type { Project } from '../project/project.ts'
import type { ProjectDomain } from './project-domain.ts'
import { type ShowStores, showDomain } from './show-domain.ts'

/**
 * Removes a name from the project that has it and whatever alias shows it, so that another can have it. Answers the
 * hosts of others that show something else because of it.
 */
export async function takeFromOthers(
  stores: ShowStores & { readonly events: EventQueue },
  { id, ownerId }: Project,
  { name }: ProjectDomain,
  now: number,
): Promise<readonly string[]> {
  const { projects, projectDomains, hosts } = stores
  const changed: string[] = []
  const holder = (await projectDomains.holders(name)).find(
    ({ verified, projectId }) => verified && projectId !== id,
  )
  // Locked, so that no deployment takes the name at the same moment.
  const loser = holder && (await projects.lock(holder.ownerId, holder.projectId))
  if (loser && (await projectDomains.remove(loser.id, name))) {
    const cause = { userId: null, at: now }
    await stores.events.emit(projectDomainEvent('project.domain.deleted', holder, cause))
    // What sent its visitors there would send them to somebody else.
    for (const domain of await projectDomains.ofProject(loser.id)) {
      if (domain.redirect !== name) continue
      const change = { redirect: null, redirectStatusCode: null, updatedAt: now }
      await projectDomains.update(loser.id, domain.name, change)
      await showDomain(stores, loser, { ...domain, ...change }, now)
      changed.push(domain.name)
    }
  }
  const shown = await hosts.holder(name)
  if (shown?.kind === 'alias' && shown.ownerId !== ownerId) await hosts.release(name)
  return changed
}
