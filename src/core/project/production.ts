import { AloftError, invalidRequest } from '#contract/errors.ts'
import type { Page, PageQuery } from '#contract/page.ts'
import type { Context } from '../access/context.ts'
import { checkReach } from '../access/reach.ts'
import { unlessRaced } from '../alias/assign-alias.ts'
import type { HostStore } from '../alias/host-store.ts'
import type { PlatformNames } from '../alias/platform-names.ts'
import type { SyncStores } from '../cron/sync-crons.ts'
import { forkIsNoProduction } from '../deployment/branch.ts'
import type { Deployment } from '../deployment/deployment.ts'
import type { DeploymentStore } from '../deployment/deployment-store.ts'
import type { DomainStore } from '../domain/domain-store.ts'
import type { EventQueue } from '../event/event.ts'
import { takeMissedNames } from '../names/take-names.ts'
import { pageOf } from '../page-of.ts'
import type { Clock } from '../ports/clock.ts'
import type { Transact } from '../ports/transact.ts'
import type { ProjectDomainStore } from '../project-domain/project-domain-store.ts'
import { beginRelease, resumedRelease } from '../release/begin-release.ts'
import { endedBy, NEWER_IS_LIVE } from '../release/end-release.ts'
import { isActive, type Release } from '../release/release.ts'
import { checkOwnVariables } from '../team/production-right.ts'
import type { TeamStore } from '../team/team-store.ts'
import { unknownProject } from './find-project.ts'
import { hostsOf } from './hosts-of.ts'
import { keepProduction, type ProductionChange } from './keep-production.ts'
import type { Project } from './project.ts'
import type { AliasRequest, MovedAlias, ProjectDetails } from './project-details.ts'
import type { ProjectStore } from './project-store.ts'
import { afterPromotion, showInProduction } from './show-in-production.ts'

/** What visitors of a project's production get. */
export interface Production {
  pause(ctx: Context, idOrName: string): Promise<void>
  unpause(ctx: Context, idOrName: string): Promise<void>
  /** Shows a deployment to visitors of production; new ones follow it as they are made. */
  promote(ctx: Context, idOrName: string, deploymentId: string): Promise<void>
  /** Shows a deployment, and no newer one, until the next promotion. */
  rollBack(ctx: Context, idOrName: string, deploymentId: string): Promise<void>
  /** The aliases that the last promotion or rollback moved, newest first. */
  moved(
    ctx: Context,
    idOrName: string,
    page: PageQuery,
    filter: { readonly failedOnly: boolean },
  ): Promise<Page<MovedAlias>>
}

interface ProductionStores {
  readonly projects: ProjectStore
  readonly deployments: DeploymentStore
  readonly hosts: HostStore
  readonly events: EventQueue
  readonly projectDomains: ProjectDomainStore
  readonly domains: Pick<DomainStore, 'hold' | 'verifiedCovering'>
  readonly teams: Pick<TeamStore, 'byId'>
  readonly crons: SyncStores['crons']
  readonly jobs: SyncStores['jobs']
}

interface ProductionParts {
  readonly store: ProjectStore
  readonly transact: Transact<ProductionStores>
  readonly clock: Clock
  readonly names: PlatformNames
  readonly onHostsChanged: (hosts: readonly string[]) => void
}

export function createProduction(parts: ProductionParts): Production {
  const { store, transact, clock, names } = parts

  /** Changes a project, and tells of every host that shows something else because of it. */
  async function change(
    ctx: Context,
    idOrName: string,
    notFound: AloftError,
    work: (stores: ProductionStores, project: Project, now: number) => Promise<ProductionChange>,
  ): Promise<void> {
    const hosts = await transact(async (stores) => {
      const project = await stores.projects.lock(ctx.owner.id, idOrName)
      if (!project) throw notFound
      checkReach(ctx, project.id)
      const now = clock.now()
      const changed = await work(stores, project, now)
      await keepProduction(stores, project, changed, now)
      return changed.hosts
    })
    parts.onHostsChanged(hosts)
  }

  const move = (ctx: Context, idOrName: string, deploymentId: string, type: AliasRequest['type']) =>
    change(ctx, idOrName, unknownProject(idOrName), async (stores, project, now) => {
      const deployment = await readyDeployment(stores.deployments, project, deploymentId)
      await checkOwnVariables(ctx.owner, stores.teams, deployment)
      const begun = type === 'promote' ? await promoteInSteps(stores, project, deployment, now) : undefined
      if (begun) return begun
      const how = { type, names, now, by: ctx.actor.user.id }
      return unlessRaced(showInProduction(stores, project, deployment, how), () =>
        readyDeployment(stores.deployments, project, deploymentId),
      )
    })

  return {
    pause: (ctx, idOrName) =>
      change(ctx, idOrName, noSuch(idOrName), async ({ projects }, project, now) => ({
        details: {
          paused: true,
          pausedAt: project.details.pausedAt ?? now,
          autoAssignCustomDomains: false,
        },
        hosts: await hostsOf(projects, project),
      })),

    unpause: (ctx, idOrName) =>
      change(ctx, idOrName, noSuch(idOrName), async (stores, project, now) => {
        const { paused, lastRollbackTarget, release } = project.details
        // What somebody has chosen stays.
        if (!paused) return { details: {}, hosts: [] }
        const isRolledBack = lastRollbackTarget !== null
        const waiting = isRolledBack ? undefined : await newestHeld(stores.deployments, project)
        const taken = waiting ? await takeMissedNames(stores, waiting, now) : []
        const goesOn = async (active: Release) =>
          waiting !== undefined && taken.length > 0
            ? endedBy(active, waiting, NEWER_IS_LIVE, now)
            : resumedRelease(stores, project, active, now)
        return {
          details: {
            ...{ paused: false, pausedAt: null, autoAssignCustomDomains: !isRolledBack },
            ...(isActive(release) ? { release: await goesOn(release) } : {}),
          },
          hosts: [...(await hostsOf(stores.projects, project)), ...taken],
        }
      }),

    promote: (ctx, idOrName, deploymentId) => move(ctx, idOrName, deploymentId, 'promote'),
    rollBack: (ctx, idOrName, deploymentId) => move(ctx, idOrName, deploymentId, 'rollback'),

    async moved(ctx, idOrName, page, { failedOnly }) {
      const project = await store.byIdOrName(ctx.owner.id, idOrName)
      if (!project) throw unknownProject(idOrName)
      checkReach(ctx, project.id)
      const all = project.details.movedAliases.filter(({ status }) => !failedOnly || status === 'failed')
      return pageOf(
        all.toSorted((a, b) => b.createdAt - a.createdAt),
        page,
      )
    },
  }
}

/** These two calls say it in other words than the rest. */
const noSuch = (idOrName: string) => invalidRequest(`there is no project \`${idOrName.slice(0, 100)}\``)

/** Undefined where it is live for everybody at once: nothing else was asked for, or it is one of the two on their way. */
async function promoteInSteps(
  stores: ProductionStores,
  project: Project,
  deployment: Deployment,
  now: number,
): Promise<ProductionChange | undefined> {
  const { release } = project.details
  if (isActive(release) && [release.canaryDeploymentId, release.currentDeploymentId].includes(deployment.id))
    return undefined
  const begun = await beginRelease(stores, project, deployment, now)
  return begun && { details: { ...afterPromotion(project), release: begun.release }, hosts: begun.hosts }
}

/** A deployment of the project that can be shown. */
export async function readyDeployment(
  deployments: DeploymentStore,
  project: Project,
  idOrHost: string,
): Promise<Deployment> {
  const deployment = await deployments.find(idOrHost)
  if (!deployment || deployment.projectId !== project.id || deployment.ownerId !== project.ownerId)
    throw new AloftError(
      'deployment_not_found',
      `The project has no deployment \`${idOrHost.slice(0, 300)}\`.`,
    )
  forkIsNoProduction(deployment.meta)
  if (deployment.state === 'ERROR')
    throw new AloftError('gone', 'The deployment failed, so nothing can point to it.')
  if (deployment.state !== 'READY')
    throw new AloftError('deployment_not_ready', `The deployment is ${deployment.state}, not READY.`)
  return deployment
}

/** When somebody last said what production shows, at once or step by step; releases end without anybody saying so. */
function chosenAt({ lastAliasRequest: last, release }: ProjectDetails): number {
  const isOfRelease = release?.state === 'COMPLETE' && release.canaryDeploymentId === last?.toDeploymentId
  return Math.max(release?.startedAt ?? 0, isOfRelease ? 0 : (last?.requestedAt ?? 0))
}

/** What was made ready for production while nothing could be put there, and not passed over for another one since. */
async function newestHeld(
  deployments: DeploymentStore,
  { id, ownerId, details }: Project,
): Promise<Deployment | undefined> {
  const { items } = await deployments.list(
    ownerId,
    { limit: 1 },
    { projectId: id, target: 'production', states: ['READY'] },
  )
  const [newest] = items
  const readyAt = newest?.readyAt ?? 0
  return readyAt >= (details.pausedAt ?? 0) && readyAt > chosenAt(details) ? newest : undefined
}
