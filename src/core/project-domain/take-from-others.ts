import type { EventQueue } from '../event/event.ts'
import type { ShowStores } from '../names/show-domain.ts'
import type { Project } from '../project/project.ts'
import type { ProjectDomain } from './project-domain.ts'
import { removeFromProject } from './remove-from-project.ts'

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
  const { projectDomains, hosts } = stores
  const holder = (await projectDomains.holders(name)).find(
    ({ verified, projectId }) => verified && projectId !== id,
  )
  const changed = holder && (await removeFromProject(stores, holder, { userId: null, at: now }))
  const shown = await hosts.holder(name)
  if (shown?.kind === 'alias' && shown.ownerId !== ownerId) await hosts.release(name)
  return changed ?? []
}
