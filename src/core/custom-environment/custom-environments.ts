import { ENVIRONMENT_SLUG, MOST_ENVIRONMENTS } from '#contract/api/custom-environment.ts'
import { ENV_TARGETS } from '#contract/api/env-variable.ts'
import { AloftError, invalidRequest, noSuch } from '#contract/errors.ts'
import { newId } from '#contract/ids.ts'
import type { Context } from '../access/context.ts'
import { pointAlias } from '../alias/assign-alias.ts'
import type { HostStore } from '../alias/host-store.ts'
import { isReservedHost, type PlatformNames } from '../alias/platform-names.ts'
import type { DeploymentStore } from '../deployment/deployment-store.ts'
import { environmentAlias } from '../deployment/hosts.ts'
import type { EnvVariables } from '../env-variable/env-variables.ts'
import type { VariableStores } from '../env-variable/variable-writing.ts'
import { newestOfEnvironment, releaseDomain } from '../names/show-domain.ts'
import type { Clock } from '../ports/clock.ts'
import type { Transact } from '../ports/transact.ts'
import { findProject } from '../project/find-project.ts'
import type { Project } from '../project/project.ts'
import { isInTransfer } from '../project/project-details.ts'
import type { ProjectStore } from '../project/project-store.ts'
import type { ProjectDomain } from '../project-domain/project-domain.ts'
import type { ProjectDomainStore } from '../project-domain/project-domain-store.ts'
import {
  type BranchMatcher,
  type CustomEnvironment,
  environmentOfBranch,
  findEnvironment,
} from './custom-environment.ts'

interface EnvironmentRequest {
  readonly slug?: string | undefined
  readonly description?: string | null | undefined
  readonly branchMatcher?: BranchMatcher | null | undefined
}

/** An environment with what is true of it at this moment. */
export interface KnownEnvironment {
  readonly environment: CustomEnvironment
  readonly domains: readonly ProjectDomain[]
  /** That show its newest deployment. */
  readonly aliases: readonly string[]
}

/** Environments of projects beside production and previews. What was deployed to one outlives it. */
export interface CustomEnvironments {
  /** With a branch: none but the one that its pushes go to. */
  list(ctx: Context, project: string, branch?: string): Promise<readonly KnownEnvironment[]>
  get(ctx: Context, project: string, slugOrId: string): Promise<KnownEnvironment>
  create(
    ctx: Context,
    project: string,
    request: EnvironmentRequest & { readonly slug: string; readonly copyFrom?: string | undefined },
  ): Promise<KnownEnvironment>
  update(
    ctx: Context,
    project: string,
    slugOrId: string,
    request: EnvironmentRequest,
  ): Promise<KnownEnvironment>
  remove(
    ctx: Context,
    project: string,
    slugOrId: string,
    options: { readonly deletesVariables: boolean },
  ): Promise<KnownEnvironment>
}

interface ReadStores {
  readonly projects: ProjectStore
  readonly deployments: DeploymentStore
  readonly hosts: HostStore
  readonly projectDomains: ProjectDomainStore
}
type EnvironmentStores = ReadStores & VariableStores

interface EnvironmentParts {
  readonly stores: ReadStores
  readonly transact: Transact<EnvironmentStores>
  readonly copyVariables: EnvVariables['copy']
  readonly leaveVariables: EnvVariables['leave']
  readonly clock: Clock
  readonly names: PlatformNames
  readonly onHostsChanged: (hosts: readonly string[]) => void
}

export function createCustomEnvironments(parts: EnvironmentParts): CustomEnvironments {
  const { stores, transact, clock, names } = parts

  async function known(
    { deployments, hosts, projectDomains }: ReadStores,
    project: Project,
    environments: readonly CustomEnvironment[],
  ): Promise<readonly KnownEnvironment[]> {
    const all = environments.length > 0 ? await projectDomains.ofProject(project.id) : []
    const found: KnownEnvironment[] = []
    // One after the other: the stores may be those of a transaction.
    for (const environment of environments) {
      const newest = await newestOfEnvironment(deployments, project, environment.id)
      const aliases = newest ? await hosts.ofDeployment(newest.id) : []
      found.push({
        environment,
        domains: all.filter(({ customEnvironmentId }) => customEnvironmentId === environment.id),
        aliases: aliases.map(({ host }) => host),
      })
    }
    return found
  }

  const one = async (from: ReadStores, project: Project, environment: CustomEnvironment) =>
    (await known(from, project, [environment]))[0] as KnownEnvironment

  const seen = (ctx: Context, idOrName: string): Promise<Project> =>
    findProject(stores.projects, ctx, idOrName, 'byIdOrName')

  /** Runs changes of one project's environments after one another. */
  const write = <T>(
    ctx: Context,
    idOrName: string,
    work: (tx: EnvironmentStores, project: Project, now: number) => Promise<T>,
  ): Promise<T> =>
    transact(async (tx) => {
      const project = await findProject(tx.projects, ctx, idOrName, 'lock')
      const now = clock.now()
      if (isInTransfer(project.details, now))
        throw new AloftError(
          'conflict',
          'The project is being transferred, so its environments can’t be changed.',
        )
      return work(tx, project, now)
    })

  const save = ({ projects }: ReadStores, project: Project, all: readonly CustomEnvironment[], now: number) =>
    projects.update(project.id, { details: { ...project.details, customEnvironments: all } }, now)

  const aliasOf = ({ owner }: Context, project: Project, { slug }: CustomEnvironment): string =>
    environmentAlias(project.name, slug, owner.slug, names.domain)

  /** Shows the newest deployment of an environment under its name; where somebody has that, the next one tries again. */
  async function point(tx: ReadStores, project: Project, environment: CustomEnvironment, host: string) {
    const newest = await newestOfEnvironment(tx.deployments, project, environment.id)
    if (!newest || isReservedHost(names, host) || (await tx.hosts.holder(host))) return
    const to = { deploymentId: newest.id, ownerId: project.ownerId, projectId: project.id, production: false }
    await pointAlias(tx.hosts, host, to, clock.now())
  }

  return {
    async list(ctx, idOrName, branch) {
      const project = await seen(ctx, idOrName)
      const all = project.details.customEnvironments
      if (branch === undefined) return known(stores, project, all)
      const matching = environmentOfBranch(all, branch)
      return known(stores, project, matching ? [matching] : [])
    },

    async get(ctx, idOrName, slugOrId) {
      const project = await seen(ctx, idOrName)
      return one(stores, project, found(project, slugOrId))
    },

    create: (ctx, idOrName, { copyFrom, ...request }) =>
      write(ctx, idOrName, async (tx, project, now) => {
        const all = project.details.customEnvironments
        if (all.length >= MOST_ENVIRONMENTS)
          throw invalidRequest(`a project has at most ${MOST_ENVIRONMENTS} custom environments`)
        const blank = { id: newId.customEnvironment(), description: null, branchMatcher: null }
        const environment = read(
          { ...blank, slug: request.slug, createdAt: now, updatedAt: now },
          request,
          project,
        )
        await save(tx, project, [...all, environment], now)
        if (copyFrom !== undefined) {
          const isTarget = (ENV_TARGETS as readonly string[]).includes(copyFrom)
          const from = isTarget ? copyFrom : found(project, copyFrom).id
          await parts.copyVariables(tx, ctx, project, { from, to: environment.id })
        }
        return one(tx, project, environment)
      }),

    async update(ctx, idOrName, slugOrId, request) {
      const { changed, hosts } = await write(ctx, idOrName, async (tx, project, now) => {
        const before = found(project, slugOrId)
        const environment = { ...read(before, request, project), updatedAt: now }
        const all = project.details.customEnvironments.map((other) =>
          other === before ? environment : other,
        )
        await save(tx, project, all, now)
        const [from, to] = [aliasOf(ctx, project, before), aliasOf(ctx, project, environment)]
        if (from !== to) {
          await releaseDomain(tx.hosts, project, { name: from })
          await point(tx, project, environment, to)
        }
        return { changed: await one(tx, project, environment), hosts: from === to ? [] : [from, to] }
      })
      parts.onHostsChanged(hosts)
      return changed
    },

    async remove(ctx, idOrName, slugOrId, { deletesVariables }) {
      const { removed, host } = await write(ctx, idOrName, async (tx, project, now) => {
        const environment = found(project, slugOrId)
        const { domains, aliases } = await one(tx, project, environment)
        const [domain] = domains
        // Without its environment it would show production to whoever knows the name.
        if (domain)
          throw new AloftError(
            'conflict',
            `\`${domain.name}\` serves \`${environment.slug}\`. Remove the domain or assign it to something else first.`,
            { domain: { name: domain.name, projectId: project.id } },
          )
        await parts.leaveVariables(tx, ctx, project, environment.id, { deletes: deletesVariables })
        const others = project.details.customEnvironments.filter((other) => other !== environment)
        await save(tx, project, others, now)
        const name = aliasOf(ctx, project, environment)
        await releaseDomain(tx.hosts, project, { name })
        return { removed: { environment, domains, aliases }, host: name }
      })
      parts.onHostsChanged([host])
      return removed
    },
  }
}

function found({ details }: Project, slugOrId: string): CustomEnvironment {
  const environment = findEnvironment(details.customEnvironments, slugOrId)
  if (environment) return environment
  throw noSuch('environment', slugOrId, 'The project has')
}

/** What a request makes of an environment, among all that its project has. */
function read(
  before: CustomEnvironment,
  {
    slug = before.slug,
    description = before.description,
    branchMatcher = before.branchMatcher,
  }: EnvironmentRequest,
  { details }: Project,
): CustomEnvironment {
  if (!ENVIRONMENT_SLUG.test(slug))
    throw invalidRequest('`slug` should be lowercase letters, digits and `-`, such as `staging`')
  if ((ENV_TARGETS as readonly string[]).includes(slug))
    throw invalidRequest(`\`slug\` should not be \`${slug}\`, which every project has`)
  if (details.customEnvironments.some((other) => other.id !== before.id && other.slug === slug))
    throw new AloftError('conflict', `The project already has an environment \`${slug}\`.`)
  return { ...before, slug, description: description === '' ? null : description, branchMatcher }
}
