import { AloftError } from '#contract/errors.ts'
import type { Context } from '../access/context.ts'
import type { HostStore } from '../alias/host-store.ts'
import type { PlatformNames } from '../alias/platform-names.ts'
import type { SyncStores } from '../cron/sync-crons.ts'
import type { Deployment } from '../deployment/deployment.ts'
import type { DeploymentStore } from '../deployment/deployment-store.ts'
import type { DomainStore } from '../domain/domain-store.ts'
import type { EventQueue } from '../event/event.ts'
import type { JobQueue } from '../job/job-queue.ts'
import type { Clock } from '../ports/clock.ts'
import type { Transact } from '../ports/transact.ts'
import { findProject } from '../project/find-project.ts'
import { keepProduction, type ProductionChange } from '../project/keep-production.ts'
import { readyDeployment } from '../project/production.ts'
import type { Project } from '../project/project.ts'
import type { ProjectDetails } from '../project/project-details.ts'
import type { ProjectStore } from '../project/project-store.ts'
import { showInProduction } from '../project/show-in-production.ts'
import type { ProjectDomainStore } from '../project-domain/project-domain-store.ts'
import { checkOwnVariables } from '../team/production-right.ts'
import type { TeamStore } from '../team/team-store.ts'
import { beginRelease } from './begin-release.ts'
import { abortedRelease, move } from './end-release.ts'
import { queueAdvance } from './queue-advance.ts'
import { type GivenConfig, readReleaseConfig } from './read-release-config.ts'
import { isActive, type Release, type ReleaseConfig, shareOf } from './release.ts'

/** A release with the deployments that it is about; one that was deleted since is absent. */
export interface KnownRelease {
  readonly release: Release
  readonly current: Deployment | undefined
  readonly canary: Deployment | undefined
  /** Of the visitors who get the new deployment at this moment, in per cent. */
  readonly share: number
}

export interface Releases {
  config(ctx: Context, project: string): Promise<ReleaseConfig | null>
  /** For the next release; one that is under way goes on as it began. */
  configure(ctx: Context, project: string, given: GivenConfig): Promise<ReleaseConfig>
  /** New deployments reach everybody at once again. One under way ends: as it was before, or with the new deployment. */
  disable(ctx: Context, project: string, action: 'abort' | 'complete'): Promise<void>
  /** The last one; undefined where there was none, or none in this state. */
  find(ctx: Context, project: string, state?: Release['state']): Promise<KnownRelease | undefined>
  start(ctx: Context, project: string, deploymentId: string): Promise<KnownRelease>
  /** Goes on to a stage, also where it was paused. */
  approve(ctx: Context, project: string, canaryId: string, nextStage: number): Promise<KnownRelease>
  complete(ctx: Context, project: string, canaryId: string): Promise<KnownRelease>
  abort(ctx: Context, project: string, canaryId: string): Promise<KnownRelease>
}

export interface ReleaseStores {
  readonly projects: ProjectStore
  readonly deployments: DeploymentStore
  readonly hosts: HostStore
  readonly projectDomains: ProjectDomainStore
  readonly domains: Pick<DomainStore, 'hold' | 'verifiedCovering'>
  readonly events: EventQueue
  readonly jobs: JobQueue
  readonly crons: SyncStores['crons']
  readonly teams: Pick<TeamStore, 'byId'>
}

interface ReleaseParts {
  readonly stores: Pick<ReleaseStores, 'projects' | 'deployments'>
  readonly transact: Transact<ReleaseStores>
  readonly clock: Clock
  readonly names: PlatformNames
  readonly onHostsChanged: (hosts: readonly string[]) => void
}

export function createReleases(parts: ReleaseParts): Releases {
  const { transact, clock, names } = parts

  /** Changes a project, and tells of the hosts that show something else because of it. */
  async function change(
    ctx: Context,
    idOrName: string,
    work: (stores: ReleaseStores, project: Project, now: number) => Promise<ProductionChange>,
  ): Promise<ProjectDetails> {
    const { details, hosts } = await transact(async (stores) => {
      const project = await findProject(stores.projects, ctx, idOrName, 'lock')
      const now = clock.now()
      const changed = await work(stores, project, now)
      return { details: await keepProduction(stores, project, changed, now), hosts: changed.hosts }
    })
    parts.onHostsChanged(hosts)
    return details
  }

  /** What became of the release that is under way for a deployment. */
  const changeActive = async (
    ctx: Context,
    idOrName: string,
    canaryId: string,
    work: (stores: ReleaseStores, project: Project, release: Release, now: number) => ReturnType<typeof move>,
  ): Promise<KnownRelease> => {
    const { release } = await change(ctx, idOrName, (stores, project, now) =>
      work(stores, project, activeOf(project, canaryId), now),
    )
    return withDeployments(parts.stores, release as Release, clock.now())
  }

  const finish =
    (ctx: Context) =>
    async (stores: ReleaseStores, project: Project, { canaryDeploymentId }: Release, now: number) => {
      const canary = await readyDeployment(stores.deployments, project, canaryDeploymentId)
      await checkOwnVariables(ctx.owner, stores.teams, canary)
      return showInProduction(stores, project, canary, { ...PROMOTE, names, now, by: ctx.actor.user.id })
    }

  return {
    config: async (ctx, idOrName) =>
      (await findProject(parts.stores.projects, ctx, idOrName, 'byIdOrName')).details.rollingRelease,

    async configure(ctx, idOrName, given) {
      const config = readReleaseConfig(given)
      await change(ctx, idOrName, async () => ({ details: { rollingRelease: config }, hosts: [] }))
      return config
    },

    async disable(ctx, idOrName, action) {
      await change(ctx, idOrName, async (stores, project, now) => {
        const { release } = project.details
        const ended = !isActive(release)
          ? { details: {}, hosts: [] }
          : action === 'complete'
            ? await finish(ctx)(stores, project, release, now)
            : await move(stores, project, abortedRelease(release, TURNED_OFF, now))
        return { details: { ...ended.details, rollingRelease: null }, hosts: ended.hosts }
      })
    },

    async find(ctx, idOrName, state) {
      const { details } = await findProject(parts.stores.projects, ctx, idOrName, 'byIdOrName')
      const { release, paused, pausedAt } = details
      if (release === null || (state !== undefined && release.state !== state)) return undefined
      const now = clock.now()
      // It stands still with its project.
      return withDeployments(parts.stores, release, paused ? (pausedAt ?? now) : now)
    },

    async start(ctx, idOrName, deploymentId) {
      const { release } = await change(ctx, idOrName, async (stores, project, now) => {
        const { release: last, rollingRelease } = project.details
        if (isActive(last) && last.canaryDeploymentId === deploymentId) return { details: {}, hosts: [] }
        if (rollingRelease === null)
          throw new AloftError('bad_request', 'Rolling releases are not set up for this project.')
        const deployment = await readyDeployment(stores.deployments, project, deploymentId)
        await checkOwnVariables(ctx.owner, stores.teams, deployment)
        const begun = await beginRelease(stores, project, deployment, now)
        if (!begun)
          throw new AloftError(
            'conflict',
            'No other deployment is in production to share visitors with. Promote this one instead.',
          )
        return { details: { release: begun.release }, hosts: begun.hosts }
      })
      return withDeployments(parts.stores, release as Release, clock.now())
    },

    approve: (ctx, idOrName, canaryId, nextStage) =>
      changeActive(ctx, idOrName, canaryId, async (stores, project, release, now) => {
        const last = release.config.stages.length - 1
        if (nextStage !== release.stage + 1 || nextStage > last)
          throw new AloftError(
            'conflict',
            `The release is at stage ${release.stage}, so the next one is ${Math.min(release.stage + 1, last)}.`,
          )
        if (nextStage === last) return finish(ctx)(stores, project, release, now)
        return move(stores, project, await atStage(stores, project, release, nextStage, now))
      }),

    complete: (ctx, idOrName, canaryId) => changeActive(ctx, idOrName, canaryId, finish(ctx)),

    abort: (ctx, idOrName, canaryId) =>
      changeActive(ctx, idOrName, canaryId, (stores, project, release, now) =>
        move(stores, project, abortedRelease(release, 'It was aborted manually.', now)),
      ),
  }
}

const PROMOTE = { type: 'promote' } as const
const TURNED_OFF = 'Rolling releases were disabled.'

/** The release at another stage, with the job that ends it. */
export async function atStage(
  { jobs }: { readonly jobs: JobQueue },
  project: Project,
  release: Release,
  stage: number,
  now: number,
): Promise<Release> {
  const next: Release = {
    ...release,
    ...{ stage, stageAt: now, paused: false, reason: null, looks: [] },
    turn: release.turn + 1,
    updatedAt: now,
  }
  await queueAdvance(jobs, project, next, now)
  return next
}

function activeOf({ details: { release } }: Project, canaryId: string): Release {
  if (!isActive(release)) throw new AloftError('conflict', 'No release of this project is in progress.')
  if (release.canaryDeploymentId !== canaryId)
    throw new AloftError(
      'conflict',
      `The release in progress is of \`${release.canaryDeploymentId}\`, not of \`${canaryId.slice(0, 100)}\`.`,
    )
  return release
}

const withDeployments = async (
  { deployments }: Pick<ReleaseStores, 'deployments'>,
  release: Release,
  now: number,
): Promise<KnownRelease> => {
  const find = async (id: string) => deployments.find(id)
  return {
    release,
    current: await find(release.currentDeploymentId),
    canary: await find(release.canaryDeploymentId),
    share: shareOf(release, now),
  }
}
