import type { HostStore } from '../alias/host-store.ts'
import type { ProductionChange } from '../project/keep-production.ts'
import type { Project } from '../project/project.ts'
import type { ProjectStore } from '../project/project-store.ts'
import { isActive, type Release } from './release.ts'

/** A release that changes without production being moved: other visitors get the new deployment, or none do. */
export const move = async (
  { hosts }: { readonly hosts: Pick<HostStore, 'inProduction'> },
  { id }: Pick<Project, 'id'>,
  release: Release,
): Promise<ProductionChange> => ({
  details: { release },
  hosts: (await hosts.inProduction(id)).map(({ host }) => host),
})

export const abortedRelease = (release: Release, reason: string, now: number): Release => ({
  ...release,
  ...{ state: 'ABORTED', paused: false, reason },
  turn: release.turn + 1,
  updatedAt: now,
})

/** Ends the release of a deployment that was deleted; answers the hosts whose visitors all get the same again. */
export async function abortForGone(
  stores: {
    readonly hosts: Pick<HostStore, 'inProduction'>
    readonly projects: Pick<ProjectStore, 'update'>
  },
  project: Project,
  now: number,
): Promise<readonly string[]> {
  const { release } = project.details
  if (!isActive(release)) return []
  const { details, hosts } = await move(
    stores,
    project,
    abortedRelease(release, 'The deployment was deleted.', now),
  )
  await stores.projects.update(project.id, { details: { ...project.details, ...details } }, now)
  return hosts
}
