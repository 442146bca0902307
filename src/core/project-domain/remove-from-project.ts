import type { EventQueue, NewEvent } from '../event/event.ts'
import { projectDomainEvent } from '../event/event-payloads.ts'
import { type ShowStores, showDomain } from '../names/show-domain.ts'
import type { ProjectDomain } from './project-domain.ts'

/**
 * Takes a name away from its project, whatever sends visitors there. What is shown under the name stays, for the
 * caller to give up or move. Answers the other hosts of the project that show something else because of it; nothing
 * where the project does not have the name any more.
 */
export async function removeFromProject(
  stores: ShowStores & { readonly events: EventQueue },
  domain: ProjectDomain,
  cause: Pick<NewEvent, 'userId' | 'at'>,
): Promise<readonly string[] | undefined> {
  const { projects, projectDomains, events } = stores
  // Locked, so that no deployment takes the name at the same moment.
  const project = await projects.lock(domain.ownerId, domain.projectId)
  if (!project || !(await projectDomains.remove(project.id, domain.name))) return undefined
  await events.emit(projectDomainEvent('project.domain.deleted', domain, cause))
  const changed: string[] = []
  // What sent its visitors there would send them to somebody else.
  for (const sender of await projectDomains.ofProject(project.id)) {
    if (sender.redirect !== domain.name) continue
    const change = { redirect: null, redirectStatusCode: null, updatedAt: cause.at }
    await projectDomains.update(project.id, sender.name, change)
    await showDomain(stores, project, { ...sender, ...change }, cause.at)
    changed.push(sender.name)
  }
  return changed
}
