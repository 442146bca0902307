import { AloftError, noSuch } from '#contract/errors.ts'
import type { Page, PageQuery } from '#contract/page.ts'
import type { Context } from '../access/context.ts'
import { checkReach, reachOf } from '../access/reach.ts'
import { type SyncStores, syncCrons } from '../cron/sync-crons.ts'
import { forkIsNoProduction } from '../deployment/branch.ts'
import type { Deployment } from '../deployment/deployment.ts'
import type { DeploymentStore } from '../deployment/deployment-store.ts'
import { isPlatformHost, readAlias } from '../deployment/hosts.ts'
import { markLive } from '../deployment/live.ts'
import type { CheckCustomHost } from '../domain/custom-host.ts'
import { isHostLabel } from '../domain/domain-name.ts'
import type { DomainStore } from '../domain/domain-store.ts'
import { isProductionName } from '../names/is-production-name.ts'
import type { Clock } from '../ports/clock.ts'
import type { Locks } from '../ports/locks.ts'
import type { Transact } from '../ports/transact.ts'
import type { Project } from '../project/project.ts'
import type { ProjectStore } from '../project/project-store.ts'
import type { ProjectDomainStore } from '../project-domain/project-domain-store.ts'
import { checkOwnVariables } from '../team/production-right.ts'
import type { TeamStore } from '../team/team-store.ts'
import type { Quotas, UsageStores } from '../usage/quotas.ts'
import type { Alias, AliasRow } from './alias.ts'
import { type Pointed, pointAlias, unlessRaced } from './assign-alias.ts'
import type { HostStore } from './host-store.ts'
import type { PlatformNames } from './platform-names.ts'

export interface Aliases {
  list(
    ctx: Context,
    page: PageQuery,
    filter: { readonly domain?: string; readonly projectId?: string },
  ): Promise<Page<AliasRow>>
  /** By its id or its name. */
  get(ctx: Context, idOrHost: string): Promise<AliasRow>
  ofDeployment(ctx: Context, idOrHost: string): Promise<readonly Alias[]>
  assign(ctx: Context, idOrHost: string, alias: string): Promise<Pointed>
  remove(ctx: Context, idOrHost: string): Promise<void>
}

type Shown = Pick<Alias, 'ownerId' | 'projectId' | 'production'>

/** Changes where a name leads. Projects whose production had it or gets it have the schedules of what they show then. */
async function showing<T>(
  stores: SyncStores & { readonly projects: Pick<ProjectStore, 'lock'> },
  ends: readonly (Shown | undefined)[],
  now: number,
  change: () => Promise<T>,
): Promise<T> {
  const shown = new Map(
    ends.flatMap((end) => (end?.production ? [[end.projectId, end.ownerId] as const] : [])),
  )
  const projects: Project[] = []
  for (const [id, ownerId] of [...shown].sort()) {
    const project = await stores.projects.lock(ownerId, id)
    if (project) projects.push(project)
  }
  const changed = await change()
  for (const project of projects) await syncCrons(stores, project, now)
  return changed
}

interface AliasParts {
  readonly store: HostStore
  readonly deployments: DeploymentStore
  readonly transact: Transact<
    UsageStores & {
      readonly hosts: HostStore
      readonly deployments: DeploymentStore
      readonly domains: Pick<DomainStore, 'hold' | 'covering' | 'verifiedCovering'>
      readonly teams: Pick<TeamStore, 'byId'>
      readonly projects: Pick<ProjectStore, 'byIdOrName' | 'lock' | 'deploymentsOf'>
      readonly crons: SyncStores['crons']
      readonly jobs: SyncStores['jobs']
      readonly projectDomains: Pick<ProjectDomainStore, 'holders'>
      readonly locks: Locks
    }
  >
  readonly quotas: Pick<Quotas, 'check'>
  readonly clock: Clock
  readonly names: PlatformNames
  readonly checkCustomHost: CheckCustomHost
  readonly onHostsChanged: (hosts: readonly string[]) => void
}

const noAlias = (idOrHost: string) => noSuch('alias', idOrHost)

export function createAliases(parts: AliasParts): Aliases {
  const { store, transact, clock, names } = parts

  async function owned(deployments: DeploymentStore, ctx: Context, idOrHost: string): Promise<Deployment> {
    const deployment = await deployments.find(idOrHost)
    if (!deployment && (await deployments.wasDeleted(ctx.owner.id, idOrHost)))
      throw new AloftError('gone', 'The deployment was deleted, so nothing can point to it.')
    if (!deployment)
      throw new AloftError('deployment_not_found', `There is no deployment \`${idOrHost.slice(0, 300)}\`.`)
    if (deployment.ownerId !== ctx.owner.id)
      throw new AloftError(
        'forbidden',
        `The deployment \`${idOrHost.slice(0, 300)}\` belongs to another account.`,
      )
    checkReach(ctx, deployment.projectId)
    return deployment
  }

  async function findAlias(hosts: HostStore, ctx: Context, idOrHost: string): Promise<Alias> {
    // A single word was assigned under the domain, and the same word finds it.
    const isWord = isHostLabel(idOrHost.toLowerCase())
    const alias =
      (await hosts.alias(ctx.owner.id, idOrHost)) ??
      (isWord ? await hosts.alias(ctx.owner.id, `${idOrHost}.${names.domain}`) : undefined)
    if (!alias) throw noAlias(idOrHost)
    checkReach(ctx, alias.projectId)
    return alias
  }

  return {
    list: (ctx, page, filter) => {
      const { projectId } = filter
      if (projectId !== undefined) checkReach(ctx, projectId)
      const reach = projectId === undefined ? reachOf(ctx) : undefined
      return store.list(ctx.owner.id, page, reach === undefined ? filter : { ...filter, projectId: reach })
    },

    async get(ctx, idOrHost) {
      const alias = await findAlias(store, ctx, idOrHost)
      const deployment = await parts.deployments.find(alias.deploymentId)
      return { ...alias, deploymentHost: deployment?.host ?? null }
    },

    async ofDeployment(ctx, idOrHost) {
      const { id } = await owned(parts.deployments, ctx, idOrHost)
      return store.ofDeployment(id)
    },

    async assign(ctx, idOrHost, text) {
      const host = readAlias(text, names, ctx.owner)
      const pointed = await transact(async (stores) => {
        const { hosts, deployments, domains, teams, locks } = stores
        if (!isPlatformHost(host, names.domain)) {
          await domains.hold(host)
          await parts.checkCustomHost(domains, ctx.owner, host)
        }
        // Of several who move it at once, each finds it where the one before has left it.
        await locks.take('alias', host)
        const deployment = await owned(deployments, ctx, idOrHost)
        if (deployment.state === 'ERROR')
          throw new AloftError('gone', 'The deployment failed, so nothing can point to it.')
        if (deployment.state !== 'READY')
          throw new AloftError('deployment_not_ready', `The deployment is ${deployment.state}, not READY.`)
        const known = await hosts.alias(ctx.owner.id, host)
        if (known?.deploymentId === deployment.id)
          throw new AloftError('not_modified', `\`${host}\` already points to this deployment.`, {
            uid: known.id,
            alias: host,
          })
        if (known?.production || (await isProductionName(stores, deployment, host, names.domain))) {
          forkIsNoProduction(deployment.meta)
          await checkOwnVariables(ctx.owner, teams, deployment)
        }
        const holder = await hosts.holder(host)
        if (holder && holder.kind !== 'deployment' && holder.ownerId === ctx.owner.id)
          checkReach(ctx, holder.projectId)
        if (!holder) await parts.quotas.check(ctx.owner, 'aliases', 1, stores)
        const { id, ownerId, projectId, target } = deployment
        const to = { deploymentId: id, ownerId, projectId, production: target === 'production' }
        const now = clock.now()
        return showing(stores, [known, to], now, async () => {
          if (to.production) await markLive(deployments, deployment, now)
          return unlessRaced(pointAlias(hosts, host, to, now), () => owned(deployments, ctx, idOrHost))
        })
      })
      parts.onHostsChanged([host])
      return pointed
    },

    async remove(ctx, idOrHost) {
      const host = await transact(async (stores) => {
        const { hosts, locks } = stores
        await locks.take('alias', (await findAlias(hosts, ctx, idOrHost)).host)
        const alias = await findAlias(hosts, ctx, idOrHost)
        return showing(stores, [alias], clock.now(), async () => {
          // By its id: between the two, somebody else may have got the name.
          if (!(await hosts.release(alias.host, alias.id))) throw noAlias(idOrHost)
          return alias.host
        })
      })
      parts.onHostsChanged([host])
    },
  }
}
