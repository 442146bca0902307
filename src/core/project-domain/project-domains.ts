import { AloftError, invalidRequest, noSuch } from '#contract/errors.ts'
import type { Page, PageQuery } from '#contract/page.ts'
import type { Context } from '../access/context.ts'
import { checkReach } from '../access/reach.ts'
import type { PlatformNames } from '../alias/platform-names.ts'
import { type SyncStores, syncCrons } from '../cron/sync-crons.ts'
import { isPlatformHost } from '../deployment/hosts.ts'
import type { EventQueue } from '../event/event.ts'
import { projectDomainEvent } from '../event/event-payloads.ts'
import {
  adoptDomain,
  deploymentFor,
  releaseDomain,
  type ShowStores,
  showDomain,
} from '../names/show-domain.ts'
import type { Clock } from '../ports/clock.ts'
import type { Resolver } from '../ports/resolver.ts'
import type { Transact } from '../ports/transact.ts'
import { unknownProject } from '../project/find-project.ts'
import type { Project } from '../project/project.ts'
import { isInTransfer } from '../project/project-details.ts'
import type { ProjectStore } from '../project/project-store.ts'
import { checkOwnVariables } from '../team/production-right.ts'
import type { TeamStore } from '../team/team-store.ts'
import { type ClaimStores, isClaimed, newChallenge } from './claims.ts'
import { type DomainName, readDomainName, toStored } from './domain-name.ts'
import { showsProduction } from './domains-for.ts'
import { type HostInspection, inspectHost, nothingToDo, type Pointing } from './inspect-host.ts'
import { lookUpChallenge } from './look-up-challenge.ts'
import type { ProjectDomain } from './project-domain.ts'
import type { ProjectDomainFilter, ProjectDomainStore } from './project-domain-store.ts'
import { type DomainSettings, NOTHING_SET, readDomainSettings } from './read-domain.ts'
import { takeFromOthers } from './take-from-others.ts'

/** The names under which projects are visited. */
export interface ProjectDomains {
  /** One that another account has is not verified, and shows nothing until it is. */
  add(
    ctx: Context,
    project: string,
    request: DomainSettings & { readonly name: string },
  ): Promise<ProjectDomain>
  list(
    ctx: Context,
    project: string,
    page: PageQuery,
    filter: ProjectDomainFilter,
  ): Promise<Page<ProjectDomain>>
  get(ctx: Context, project: string, name: string): Promise<ProjectDomain>
  /** The one of this name, whichever project of the account has it. */
  findByName(ctx: Context, name: string): Promise<ProjectDomain | undefined>
  update(ctx: Context, project: string, name: string, settings: DomainSettings): Promise<ProjectDomain>
  remove(ctx: Context, project: string, name: string): Promise<void>
  /** Takes the name from whoever had it, once the TXT record of the challenge is there. */
  verify(ctx: Context, project: string, name: string): Promise<ProjectDomain>
  /** What DNS says of it, and what it should say. */
  inspect(ctx: Context, project: string, name: string): Promise<HostInspection>
}

type DomainStores = ShowStores &
  ClaimStores &
  Pick<SyncStores, 'crons' | 'jobs'> & {
    readonly events: EventQueue
    readonly teams: Pick<TeamStore, 'byId'>
  }

interface DomainParts {
  readonly store: ProjectDomainStore
  readonly projects: ProjectStore
  readonly transact: Transact<DomainStores>
  readonly resolver: Resolver
  readonly pointing: Pointing
  readonly clock: Clock
  readonly names: PlatformNames
  readonly onHostsChanged: (hosts: readonly string[]) => void
}

/** Of one project. */
const MAX_DOMAINS = 50
/** To add a name that somebody else adds at the same moment. */
const ATTEMPTS = 3

const unknownDomain = (name: string) => noSuch('domain', name, 'The project has')
const notAssigned = (name: string) =>
  new AloftError('domain_not_assigned', `The project has no domain \`${name.slice(0, 100)}\`.`)

const by = ({ actor }: Context, at: number) => ({ userId: actor.user.id, at })

export function createProjectDomains(parts: DomainParts): ProjectDomains {
  const { store, transact, clock } = parts

  async function readProject(ctx: Context, idOrName: string): Promise<Project> {
    const project = await parts.projects.byIdOrName(ctx.owner.id, idOrName)
    if (!project) throw unknownProject(idOrName)
    checkReach(ctx, project.id)
    return project
  }

  /**
   * Runs changes of one project's domains after one another, and tells of the hosts that they changed. Projects whose
   * production has got or lost the name have the schedules of what they show then.
   */
  async function write(
    ctx: Context,
    idOrName: string,
    name: string,
    work: (stores: DomainStores, project: Project, now: number) => Promise<WrittenDomain>,
  ): Promise<ProjectDomain> {
    const { domain, hosts } = await transact(async (stores) => {
      const project = await stores.projects.lock(ctx.owner.id, idOrName)
      if (!project) throw unknownProject(idOrName)
      checkReach(ctx, project.id)
      const now = clock.now()
      if (isInTransfer(project.details, now))
        throw new AloftError('conflict', 'The project is being transferred, so its domains can’t be changed.')
      const before = await stores.hosts.holder(name)
      const written = await work(stores, project, now)
      if (written.hosts.length === 0) return written
      await syncCrons(stores, project, now)
      if (before?.kind === 'alias' && before.production && before.projectId !== project.id) {
        const other = await stores.projects.lock(before.ownerId, before.projectId)
        if (other) await syncCrons(stores, other, now)
      }
      return written
    })
    parts.onHostsChanged(hosts)
    return domain
  }

  async function find(stores: DomainStores, { id }: Project, name: string): Promise<ProjectDomain> {
    const domain = await stores.projectDomains.find(id, toStored(name))
    if (!domain) throw unknownDomain(name)
    return domain
  }

  async function findDomain(ctx: Context, idOrName: string, name: string): Promise<ProjectDomain> {
    const domain = await store.find((await readProject(ctx, idOrName)).id, toStored(name))
    if (!domain) throw unknownDomain(name)
    return domain
  }

  return {
    add(ctx, idOrName, { name: text, ...given }) {
      const wanted = readDomainName(text, parts.names)
      return write(ctx, idOrName, wanted.name, async (stores, project, now) => {
        const siblings = await stores.projectDomains.ofProject(project.id)
        checkRoom(siblings, wanted)
        checkPlan(ctx, wanted)
        const settled = readDomainSettings({ ...NOTHING_SET, name: wanted.name }, given, {
          project,
          siblings,
        })
        await checkProduction(stores, project)
        const domain = await addClaimed(stores, ctx, project, {
          ...settled,
          projectId: project.id,
          ownerId: project.ownerId,
          name: wanted.name,
          apexName: wanted.apexName,
          createdAt: now,
          updatedAt: now,
        })
        await stores.events.emit(projectDomainEvent('project.domain.created', domain, by(ctx, now)))
        if (!domain.verified) return { domain, hosts: [] }
        await adoptDomain(stores, project, domain, now)
        return { domain, hosts: [domain.name] }
      })

      /** Somebody who adds the same name at the same moment is seen once they are done. */
      async function addClaimed(
        stores: DomainStores,
        ctx: Context,
        project: Project,
        domain: Omit<ProjectDomain, 'verified' | 'challenge'>,
      ): Promise<ProjectDomain> {
        for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
          const challenge = (await isClaimed(stores, ctx, project, wanted)) ? newChallenge(wanted.name) : null
          const added = { ...domain, verified: challenge === null, challenge }
          if (await stores.projectDomains.add(added)) return added
        }
        throw new AloftError('conflict', `\`${wanted.name}\` is being added elsewhere. Try again.`)
      }
    },

    async list(ctx, idOrName, page, filter) {
      return store.list((await readProject(ctx, idOrName)).id, page, filter)
    },

    get: findDomain,

    async findByName({ owner }, name) {
      const holders = await store.holders(toStored(name))
      return holders.find(({ ownerId }) => ownerId === owner.id)
    },

    async inspect(ctx, idOrName, name) {
      const domain = await findDomain(ctx, idOrName, name)
      return isPlatformHost(domain.name, parts.names.domain)
        ? nothingToDo(domain)
        : inspectHost(parts.resolver, domain, parts.pointing)
    },

    update: (ctx, idOrName, name, settings) =>
      write(ctx, idOrName, toStored(name), async (stores, project, now) => {
        const current = await find(stores, project, name)
        const siblings = await stores.projectDomains.ofProject(project.id)
        const settled = readDomainSettings(current, settings, { project, siblings })
        const domain = { ...current, ...settled, updatedAt: now }
        const shown = showsAlike(current, domain) ? undefined : await deploymentFor(stores, project, domain)
        // Those who visit production under this name are shown that from now on.
        if (shown && showsProduction(current)) await checkOwnVariables(ctx.owner, stores.teams, shown)
        await stores.projectDomains.update(project.id, domain.name, { ...settled, updatedAt: now })
        if (!domain.verified) return { domain, hosts: [] }
        if (!showsAlike(current, domain)) await showDomain(stores, project, domain, now)
        return { domain, hosts: [domain.name] }
      }),

    async remove(ctx, idOrName, name) {
      await write(ctx, idOrName, toStored(name), async (stores, project, now) => {
        const domain = await find(stores, project, name)
        const siblings = await stores.projectDomains.ofProject(project.id)
        const sender = siblings.find(({ redirect }) => redirect === domain.name)
        if (sender)
          throw new AloftError(
            'conflict',
            `\`${sender.name}\` redirects to \`${domain.name}\`. Change the redirect first.`,
            { domain: { name: sender.name, projectId: project.id } },
          )
        await stores.projectDomains.remove(project.id, domain.name)
        await stores.events.emit(projectDomainEvent('project.domain.deleted', domain, by(ctx, now)))
        if (!domain.verified) return { domain, hosts: [] }
        await releaseDomain(stores.hosts, project, domain)
        return { domain, hosts: [domain.name] }
      })
    },

    async verify(ctx, idOrName, name) {
      const project = await readProject(ctx, idOrName)
      const waiting = await store.find(project.id, toStored(name))
      if (!waiting) throw notAssigned(name)
      if (waiting.verified) return waiting
      await lookUpChallenge(parts.resolver, waiting)
      return write(ctx, project.id, waiting.name, async (stores, current, now) => {
        const found = await stores.projectDomains.find(current.id, waiting.name)
        if (!found) throw notAssigned(name)
        // Met by somebody else meanwhile.
        if (found.verified) return { domain: found, hosts: [] }
        // Removed and added again, so what was looked up is not asked for any more.
        if (found.challenge !== waiting.challenge)
          throw new AloftError('conflict', `\`${found.name}\` was changed at the same time. Try again.`)
        const change = { verified: true, challenge: null, updatedAt: now }
        const taken = await takeFromOthers(stores, current, found, now)
        if (!(await stores.projectDomains.update(current.id, found.name, change)))
          throw new AloftError('conflict', `\`${found.name}\` was taken at the same time. Try again.`)
        const domain = { ...found, ...change }
        await stores.events.emit(projectDomainEvent('project.domain.verified', domain, by(ctx, now)))
        await adoptDomain(stores, current, domain, now)
        return { domain, hosts: [domain.name, ...taken] }
      })
    },
  }
}

/** Whether the same deployment is behind them. */
const showsAlike = (a: ProjectDomain, b: ProjectDomain): boolean =>
  a.gitBranch === b.gitBranch && a.customEnvironmentId === b.customEnvironmentId

interface WrittenDomain {
  readonly domain: ProjectDomain
  /** Every host that shows something else from now on. */
  readonly hosts: readonly string[]
}

function checkRoom(siblings: readonly ProjectDomain[], { name }: DomainName): void {
  if (siblings.some((domain) => domain.name === name))
    throw new AloftError('domain_already_on_project', `The project already has \`${name}\`.`, {
      domain: { name },
    })
  if (siblings.length >= MAX_DOMAINS) throw invalidRequest(`a project has at most ${MAX_DOMAINS} domains`)
}

function checkPlan({ owner: { plan } }: Context, { isPlatform }: DomainName): void {
  if (!isPlatform && (plan === 'oss' || plan === 'free'))
    throw new AloftError(
      'custom_domain_needs_upgrade',
      `Custom domains are not included in the plan \`${plan}\`.`,
    )
}

/** Nobody gets a domain for what does not work. */
async function checkProduction({ deployments }: DomainStores, { id, ownerId }: Project): Promise<void> {
  const { items } = await deployments.list(ownerId, { limit: 1 }, { projectId: id, target: 'production' })
  if (items[0]?.state === 'ERROR')
    throw new AloftError(
      'production_deployment_failed',
      'The latest production deployment failed. Deploy one that works first.',
    )
}
