import type { PlatformNames } from '../alias/platform-names.ts'
import type { Deployment } from '../deployment/deployment.ts'
import type { DeploymentStore } from '../deployment/deployment-store.ts'
import { markLive } from '../deployment/live.ts'
import type { EventQueue } from '../event/event.ts'
import { deploymentEvent } from '../event/event-payloads.ts'
import { moveProduction, type ProductionNames } from '../names/move-production.ts'
import { endedBy } from '../release/end-release.ts'
import { isActive } from '../release/release.ts'
import type { ProductionChange } from './keep-production.ts'
import type { Project } from './project.ts'
import {
  type AliasRequest,
  autoAssignAgain,
  type ProjectDetails,
  withoutAutoAssign,
} from './project-details.ts'
import type { ProjectStore } from './project-store.ts'

interface ShowInProductionStores extends ProductionNames {
  readonly projects: Pick<ProjectStore, 'deploymentsOf'>
  readonly deployments: Pick<DeploymentStore, 'update'>
  readonly events: EventQueue
}

interface How {
  readonly type: AliasRequest['type']
  readonly names: PlatformNames
  readonly now: number
  /** Who wants it; null: the platform, as it was told to. */
  readonly by: string | null
}

/** Has all visitors of production get a deployment, inside the caller's transaction; answers what the project remembers. */
export async function showInProduction(
  stores: ShowInProductionStores,
  project: Project,
  deployment: Deployment,
  { type, names, now, by }: How,
): Promise<ProductionChange> {
  const before = (await stores.projects.deploymentsOf(project.ownerId, [project.id], 0)).get(project.id)
  const movedAliases = await moveProduction(stores, project, deployment, { names, now })
  const request: AliasRequest = {
    fromDeploymentId: before?.production?.id ?? null,
    toDeploymentId: deployment.id,
    jobStatus: 'succeeded',
    requestedAt: now,
    type,
  }
  // A rollback leaves a deployment where it was in the history of production; a promotion makes it the newest.
  if (type === 'rollback') await markLive(stores.deployments, deployment, now)
  else await stores.deployments.update(deployment.id, { liveAt: now })
  if (type === 'promote')
    await stores.events.emit(deploymentEvent('deployment.promoted', deployment, { userId: by, at: now }))
  const { release } = project.details
  return {
    details: {
      lastAliasRequest: request,
      movedAliases,
      ...(type === 'rollback'
        ? { lastRollbackTarget: request, ...withoutAutoAssign(project.details) }
        : afterPromotion(project)),
      ...(isActive(release) ? { release: endedBy(release, deployment, PROMOTED, now) } : {}),
    },
    hosts: movedAliases.map(({ alias }) => alias),
  }
}

/** New deployments follow again, as they did before a rollback; what somebody has chosen stays. */
export const afterPromotion = ({ details }: Project): Partial<ProjectDetails> => ({
  lastRollbackTarget: null,
  ...(details.lastRollbackTarget === null || details.paused ? {} : autoAssignAgain(details)),
})

const PROMOTED = 'Another deployment was promoted to production.'
