import type { Readable } from 'node:stream'
import { AloftError, noSuch } from '#contract/errors.ts'
import type { Page, PageQuery } from '#contract/page.ts'
import type { Context, Owner } from '../access/context.ts'
import { checkReach, reachOf } from '../access/reach.ts'
import { pointAlias } from '../alias/assign-alias.ts'
import { queueForgetTraffic } from '../analytics/forget-traffic.ts'
import { syncCrons } from '../cron/sync-crons.ts'
import { isAsUploaded } from '../detection/detect.ts'
import { queueAfterPush } from '../git/push/queue-push.ts'
import type { Instance } from '../instance/instance.ts'
import type { InstanceStore } from '../instance/instance-store.ts'
import { queueForget } from '../log/cleanup/forget-job.ts'
import type { MachineStore } from '../machine/machine.ts'
import { regionsReached } from '../machine/placement.ts'
import { destination } from '../names/due-names.ts'
import { nextUnder } from '../names/next-under.ts'
import { followersOf, showDomain } from '../names/show-domain.ts'
import type { Output } from '../output/output.ts'
import type { OutputStore } from '../output/output-store.ts'
import type { BlobStore } from '../ports/blob-store.ts'
import type { Clock } from '../ports/clock.ts'
import type { ProjectStore } from '../project/project-store.ts'
import { abortRelease } from '../release/end-release.ts'
import { quotaExceeded } from '../usage/quota-exceeded.ts'
import type { UsageStores } from '../usage/quotas.ts'
import { cancelBuild } from './cancel-build.ts'
import { type Created, type CreateParts, createCreateDeployment } from './create/create-deployment.ts'
import type { CreateDeployment } from './create/read-deployment-request.ts'
import { asRequest, type Redeploy } from './create/redeploy.ts'
import { type Deployment, legacyStateOf, MAX_INSTANCES, type Scale } from './deployment.ts'
import type { DeploymentNews } from './deployment-news.ts'
import type { DeploymentFilter, DeploymentStore } from './deployment-store.ts'
import { type TreeStep, walkTree } from './file/file-tree.ts'
import type { ManifestFile } from './file/manifest.ts'
import { publish } from './publish.ts'

/** What a caller means to do: a public deployment may be read by any account, and written by none but its own. */
type Intent = 'read' | 'write'

export interface Deployments {
  create(ctx: Context, command: CreateDeployment): Promise<Created>
  /** Makes a deployment of the same files anew, with the variables and settings of today. */
  redeploy(ctx: Context, idOrHost: string, change: Redeploy): Promise<Created>
  /** Ends a build that waits or runs. */
  cancel(ctx: Context, idOrHost: string): Promise<Deployment>
  find(ctx: Context, idOrHost: string, intent: Intent): Promise<Deployment>
  /** Those of these ids that there are and that the caller may read, in no order. */
  findAll(ctx: Context, ids: readonly string[]): Promise<readonly Deployment[]>
  list(ctx: Context, page: PageQuery, filter: DeploymentFilter): Promise<Page<Deployment>>
  remove(ctx: Context, idOrHost: string): Promise<Deployment>
  /** In pieces, as far as it is read. */
  tree(ctx: Context, idOrHost: string): Promise<AsyncIterable<readonly TreeStep[]>>
  content(
    ctx: Context,
    idOrHost: string,
    fileId: string,
  ): Promise<{ readonly size: number; readonly body: Readable }>
  /** What it serves: what its build left behind, or else its own files. */
  output(
    ctx: Context,
    idOrHost: string,
  ): Promise<{ readonly deployment: Deployment } & Omit<Output, 'files'> & OutputSize>
  /** The running ones, oldest first. */
  instances(ctx: Context, idOrHost: string): Promise<readonly Instance[]>
  /** How many instances each of these has; one without any may be left out. */
  countInstances(deployments: readonly Deployment[]): Promise<ReadonlyMap<string, number>>
  /** The regions that it is in now. */
  regionsOf(deployment: Deployment): Promise<readonly string[]>
  rescale(ctx: Context, idOrHost: string, scale: Scale): Promise<Scale>
  /** An account gained a file: deployments that waited for nothing else go on. */
  fileArrived(owner: Owner): Promise<void>
}

interface OutputSize {
  readonly files: { readonly count: number; readonly bytes: number }
}

export interface DeploymentParts extends CreateParts {
  readonly store: DeploymentStore
  readonly blobs: BlobStore
  readonly clock: Clock
  readonly instances: InstanceStore
  readonly machines: Pick<MachineStore, 'list'>
  readonly outputs: Pick<OutputStore, 'find'>
  readonly projects: Pick<ProjectStore, 'byIdOrName'>
  readonly onNews: (news: DeploymentNews) => void
}

const unknown = (idOrHost: string) => noSuch('deployment', idOrHost)

export function createDeployments(parts: DeploymentParts): Deployments {
  const { store, blobs, clock, transact, names } = parts

  async function seen(
    deployments: DeploymentStore,
    ctx: Context,
    idOrHost: string,
    intent: Intent,
  ): Promise<Deployment> {
    const deployment = await deployments.find(idOrHost)
    if (!deployment) throw unknown(idOrHost)
    if (deployment.ownerId === ctx.owner.id) {
      checkReach(ctx, deployment.projectId)
      return deployment
    }
    if (deployment.public && intent === 'read') return deployment
    throw new AloftError(
      'forbidden',
      `You are not allowed to ${intent} the deployment \`${idOrHost.slice(0, 300)}\`.`,
    )
  }

  /** A project can open the files of all its deployments to others. */
  async function findSource(ctx: Context, idOrHost: string): Promise<Deployment> {
    const deployment = await store.find(idOrHost)
    if (deployment && deployment.ownerId !== ctx.owner.id && !deployment.public) {
      const project = await parts.projects.byIdOrName(deployment.ownerId, deployment.projectId)
      if (project?.details.publicSource === true) return deployment
    }
    return find(ctx, idOrHost, 'read')
  }

  /** Instances that run whether anybody visits them or not are the account's to pay for in memory. */
  async function checkKept(
    stores: Pick<UsageStores, 'deployments' | 'settings'>,
    { id, ownerId }: Deployment,
    { min }: Scale,
    owner: Owner,
  ): Promise<void> {
    const { keptInstances: limit } = await parts.quotas.limits(owner, stores)
    if (min === 0 || limit === null) return
    const kept = (await stores.deployments.keptRunning()).filter(
      (other) => other.ownerId === ownerId && other.id !== id,
    )
    const used = kept.reduce((sum, { scale }) => sum + scale.min, 0)
    if (used + min > limit)
      throw quotaExceeded(
        { quota: 'keptInstances', limit, used },
        clock.now(),
        `Or set \`min\` to ${Math.max(0, limit - used)} or less.`,
      )
  }

  const create = createCreateDeployment(parts)

  const find: Deployments['find'] = (ctx, idOrHost, intent) => seen(store, ctx, idOrHost, intent)

  return {
    create,
    find,

    async findAll(ctx, ids) {
      const reach = reachOf(ctx)
      const isOwn = ({ ownerId, projectId }: Deployment) =>
        ownerId === ctx.owner.id && (reach === undefined || reach.includes(projectId))
      return (await store.findAll(ids)).filter((deployment) => isOwn(deployment) || deployment.public)
    },

    redeploy: async (ctx, idOrHost, change) =>
      create(ctx, await asRequest(parts, await find(ctx, idOrHost, 'write'), change)),

    async cancel(ctx, idOrHost) {
      const { user } = ctx.actor
      const canceled = await transact(async (stores) =>
        cancelBuild(stores, await seen(stores.deployments, ctx, idOrHost, 'write'), {
          user,
          now: clock.now(),
        }),
      )
      const { id, host, failure, buildRuns } = canceled
      parts.onNews({ what: 'canceled', id })
      if (host !== null) parts.onHostsChanged([host])
      const [run] = buildRuns
      if (run && failure)
        await parts.logOf({ deploymentId: id, buildId: run.id, entrypoint: run.path }).stdout(failure.message)
      return canceled
    },

    list: (ctx, page, filter) => {
      const { projectId } = filter
      if (typeof projectId === 'string') checkReach(ctx, projectId)
      const reach = projectId === undefined ? reachOf(ctx) : undefined
      return store.list(ctx.owner.id, page, reach === undefined ? filter : { ...filter, projectId: reach })
    },

    async remove(ctx, idOrHost) {
      const removed = await transact(async (stores) => {
        const { deployments, hosts, projects, jobs } = stores
        const deployment = await seen(deployments, ctx, idOrHost, 'write')
        const { ownerId, projectId } = deployment
        const followers = await followersOf(stores.projectDomains, deployment)
        // Before the deployment, as everybody does who points names to one.
        const project = await projects.lock(ownerId, projectId)
        const isReleased = project?.details.release?.canaryDeploymentId === deployment.id
        // First of all, because from here on nothing more can be pointed to it.
        if (!(await deployments.delete(deployment.id, clock.now()))) throw unknown(idOrHost)
        const aliases = await hosts.ofDeployment(deployment.id)
        // The project keeps the name it was allotted: its next deployment takes it over.
        const on = { owner: ctx.owner, domain: names.domain }
        for (const { host } of aliases) {
          if (host === project?.defaultHost) continue
          const next = project && (await nextUnder(deployments, project, deployment, host, on))
          if (next) await pointAlias(hosts, host, destination(next, false), clock.now())
          else await hosts.release(host)
        }
        for (const domain of followers)
          if (project && aliases.some(({ host }) => host === domain.name))
            await showDomain(stores, project, domain, clock.now())
        const shared =
          project && isReleased
            ? await abortRelease(stores, project, 'The deployment was deleted.', clock.now())
            : []
        const wasShown = deployment.target === 'production' || aliases.some(({ production }) => production)
        if (project && wasShown) await syncCrons(stores, project, clock.now())
        await queueForget(jobs, deployment.id, clock.now())
        await queueAfterPush(jobs, deployment)
        await queueForgetTraffic(jobs, { projectId, deploymentId: deployment.id }, clock.now())
        return { deployment, hosts: [...aliases.map(({ host }) => host), ...shared] }
      })
      const { host } = removed.deployment
      parts.onHostsChanged(host === null ? removed.hosts : [host, ...removed.hosts])
      parts.onNews({ what: 'deleted', id: removed.deployment.id })
      return removed.deployment
    },

    async tree(ctx, idOrHost) {
      const { id } = await findSource(ctx, idOrHost)
      return walkTree(await store.manifest(id))
    },

    async content(ctx, idOrHost, fileId) {
      const { id } = await findSource(ctx, idOrHost)
      const file = (await store.manifest(id)).find(({ sha1 }) => sha1 === fileId)
      const body = file && file.sha256 !== '' ? await blobs.open(file.sha256) : undefined
      if (!file || !body) throw noSuch('file', fileId, 'The deployment has')
      return { size: file.size, body }
    },

    async output(ctx, idOrHost) {
      const deployment = await find(ctx, idOrHost, 'read')
      const built = await parts.outputs.find(deployment.id)
      const isServed = deployment.state === 'READY'
      const files =
        built?.files ??
        (isServed ? (await store.manifest(deployment.id)).filter(({ hidden }) => !hidden) : [])
      return {
        deployment,
        routes: built?.routes ?? deployment.routes ?? undefined,
        functions: built?.functions ?? [],
        programs: built?.programs ?? [],
        files: { count: files.length, bytes: files.reduce((sum, { size }) => sum + size, 0) },
      }
    },

    async instances(ctx, idOrHost) {
      const { id } = await find(ctx, idOrHost, 'read')
      return parts.instances.ofDeployment(id)
    },

    countInstances: (deployments) =>
      parts.instances.counts(deployments.filter(({ type }) => type !== 'STATIC').map(({ id }) => id)),

    regionsOf: async ({ regions }) => regionsReached(regions, await parts.machines.list()),

    async rescale(ctx, idOrHost, scale) {
      const id = await transact(async (stores) => {
        const { deployments, instances, locks } = stores
        const deployment = await seen(deployments, ctx, idOrHost, 'write')
        checkScale(scale)
        if (deployment.type === 'STATIC')
          throw new AloftError(
            'deployment_type_unsupported',
            'Static deployments have no instances to scale.',
          )
        const running = await instances.counts([deployment.id])
        const state = legacyStateOf(deployment, running.get(deployment.id) ?? 0)
        if (state !== 'READY')
          throw new AloftError('deployment_not_ready', `The deployment is ${state}, not READY.`)
        await locks.take('quota keptInstances', ctx.owner.id)
        await checkKept(stores, deployment, scale, ctx.owner)
        if (!(await deployments.update(deployment.id, { scale }))) throw unknown(idOrHost)
        return deployment.id
      })
      parts.onNews({ what: 'scaled', id, scale })
      return scale
    },

    async fileArrived(owner) {
      // Asked without a transaction first, because hardly any upload completes a deployment.
      if ((await store.completable(owner.id)).length === 0) return
      const changed = await transact(async (stores) => {
        const hosts: string[] = []
        for (const waiting of await stores.deployments.completable(owner.id)) {
          const now = clock.now()
          const manifest = await stores.deployments.manifest(waiting.id)
          const absent = new Set(manifest.filter(isAbsent).map(({ sha1 }) => sha1))
          const known = await stores.files.claim(owner.id, [...absent], now)
          const filled = manifest.map((file) => fillIn(file, known.get(file.sha1)))
          const project = await stores.projects.lock(waiting.ownerId, waiting.projectId)
          if (!project || filled.some(isAbsent)) continue
          await stores.deployments.complete(waiting.id, filled)
          const complete = { ...waiting, incomplete: false }
          const work = { kind: isAsUploaded(waiting) ? 'files' : 'build' } as const
          const published = await publish(
            stores,
            complete,
            { owner, project, names, now },
            { ...work, isLate: true },
          )
          hosts.push(...published.changed)
        }
        return hosts
      })
      if (changed.length > 0) parts.onHostsChanged(changed)
    },
  }
}

const isAbsent = ({ sha256 }: ManifestFile): boolean => sha256 === ''

/** Content of another size than was announced does not complete a deployment. */
const fillIn = (
  file: ManifestFile,
  content: { readonly sha256: string; readonly size: number } | undefined,
): ManifestFile =>
  isAbsent(file) && content?.size === file.size ? { ...file, sha256: content.sha256 } : file

function checkScale({ min, max }: Scale): void {
  if (min > max) throw new AloftError('wrong_min_max_relation', '`min` must not be greater than `max`.')
  if (max > MAX_INSTANCES)
    throw new AloftError('forbidden_max_instances', `At most ${MAX_INSTANCES} instances are allowed.`, {
      max: MAX_INSTANCES,
    })
}
