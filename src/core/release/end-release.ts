import type { HostStore } from '../alias/host-store.ts'
import type { Deployment } from '../deployment/deployment.ts'
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

/** The release once all visitors get a deployment: the one that was on its way to them, or another one. */
export const endedBy = (
  release: Release,
  { id }: Pick<Deployment, 'id'>,
  reason: string,
  now: number,
): Release =>
  id === release.canaryDeploymentId
    ? {
        ...abortedRelease(release, '', now),
        ...{ state: 'COMPLETE', reason: null, stage: release.config.stages.length - 1, stageAt: now },
      }
    : abortedRelease(release, reason, now)

/** Why one ends whose deployment is older than what visitors get now. */
export const NEWER_IS_LIVE = 'A newer deployment went to production.'

/** Ends the release of a locked project; answers the hosts whose visitors all get the same again. */
export async function abortRelease(
  stores: {
    readonly hosts: Pick<HostStore, 'inProduction'>
    readonly projects: Pick<ProjectStore, 'update'>
  },
  project: Project,
  reason: string,
  now: number,
): Promise<readonly string[]> {
  const { release } = project.details
  if (!isActive(release)) return []
  const { details, hosts } = await move(stores, project, abortedRelease(release, reason, now))
  await stores.projects.update(project.id, { details: { ...project.details, ...details } }, now)
  return hosts
}
