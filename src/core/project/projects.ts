import { AloftError } from '#contract/errors.ts'
import type { Page, PageQuery } from '#contract/page.ts'
import type { Context } from '../access/context.ts'
import { checkMayAdd, checkReach, maySetVariables, reachOf } from '../access/reach.ts'
import type { DeploymentNews } from '../deployment/deployment-news.ts'
import type { EnvVariables } from '../env-variable/env-variables.ts'
import type { VariableRequest } from '../env-variable/read-variable.ts'
import type { VariableStores } from '../env-variable/variable-writing.ts'
import { projectEvent } from '../event/event-payloads.ts'
import type { Clock } from '../ports/clock.ts'
import type { Transact } from '../ports/transact.ts'
import type { Vault } from '../ports/vault.ts'
import type { Quotas, UsageStores } from '../usage/quotas.ts'
import { type BypassChange, changeBypass, type ShownBypass, showBypass } from './bypass-secrets.ts'
import { type DeleteStores, deleteProject } from './delete-project.ts'
import { unknownProject } from './find-project.ts'
import { hostsOf } from './hosts-of.ts'
import { type BuildSettings, DEFAULT_BUILD_SETTINGS, newProject, type Project } from './project.ts'
import { isInTransfer, passwordPurpose } from './project-details.ts'
import { readProjectName, slugOfProject } from './project-name.ts'
import type { ProjectFilter, ProjectStore } from './project-store.ts'
import { type Circumstances, readSettings, type Settings } from './read-settings.ts'
import { type ShownDeployments, shownDeployments } from './shown-deployments.ts'

export interface Projects {
  /** The project of this name; its last change is now. Where there is none it is made, with these settings. */
  ensure(ctx: Context, name: string, settings?: Partial<BuildSettings>): Promise<Project>
  create(
    ctx: Context,
    command: Settings & { readonly name: string },
    variables?: readonly VariableRequest[],
  ): Promise<Project>
  get(ctx: Context, idOrName: string): Promise<Project>
  list(ctx: Context, page: PageQuery, filter: ProjectFilter): Promise<Page<Project>>
  update(ctx: Context, idOrName: string, settings: Settings): Promise<Project>
  switchDataCache(ctx: Context, idOrName: string, disabled: boolean | undefined): Promise<Project>
  /** Makes and revokes secrets that let programs into its protected hosts. */
  changeBypass(ctx: Context, idOrName: string, request: BypassChange): Promise<Project>
  /** Those secrets, readable. */
  bypassOf(project: Project): ShownBypass
  remove(ctx: Context, idOrName: string): Promise<void>
  /** What each of these projects has deployed, at most `latest` of the newest. */
  deploymentsOf(
    ctx: Context,
    projects: readonly Project[],
    latest: number,
  ): Promise<ReadonlyMap<string, ShownDeployments>>
}

interface ProjectParts {
  readonly store: ProjectStore
  readonly transact: Transact<DeleteStores & VariableStores & UsageStores>
  readonly quotas: Pick<Quotas, 'check'>
  /** Gives a new project its first variables. */
  readonly beginVariables: EnvVariables['begin']
  readonly vault: Vault
  readonly clock: Clock
  readonly onHostsChanged: (hosts: readonly string[]) => void
  readonly onNews: (news: DeploymentNews) => void
}

const nameTaken = (name: string | undefined) =>
  new AloftError('conflict', `There is already a project named \`${name}\`.`, { name })

const only = (ids: readonly string[] | undefined) => (ids === undefined ? {} : { ids })

/** Whether visitors of its hosts see no difference. */
const isShownAlike = (a: Project, b: Project): boolean =>
  a.directoryListing === b.directoryListing &&
  SHOWN.every((key) => JSON.stringify(a.details[key]) === JSON.stringify(b.details[key]))

const SHOWN = [
  ...(['optionsAllowlist', 'passwordProtection', 'ssoProtection', 'trustedIps'] as const),
  ...(['skewProtectionMaxAge', 'skewProtectionBoundaryAt'] as const),
  ...(['protectionBypass', 'dataCacheDisabled'] as const),
] as const

export function createProjects(parts: ProjectParts): Projects {
  const { store, transact, vault, clock } = parts

  const circumstances = ({ owner, actor }: Context, id: string): Circumstances => ({
    plan: owner.plan,
    userId: actor.user.id,
    now: clock.now(),
    seal: (password) => vault.seal(password, passwordPurpose(id)),
  })

  const by = ({ actor }: Context) => ({ userId: actor.user.id, at: clock.now() })

  async function readProject(projects: ProjectStore, ctx: Context, idOrName: string): Promise<Project> {
    const project = await projects.byIdOrName(ctx.owner.id, idOrName)
    if (!project) throw unknownProject(idOrName)
    checkReach(ctx, project.id)
    return shown(project)
  }

  async function lockProject(projects: ProjectStore, ctx: Context, idOrName: string): Promise<Project> {
    const project = await projects.lock(ctx.owner.id, idOrName)
    if (!project) throw unknownProject(idOrName)
    checkReach(ctx, project.id)
    return project
  }

  /** Serving processes hear of it if visitors see a difference. */
  async function change(
    ctx: Context,
    idOrName: string,
    apply: (projects: ProjectStore, current: Project) => Promise<void>,
  ): Promise<Project> {
    const { project, changed } = await transact(async ({ projects }) => {
      const current = await lockProject(projects, ctx, idOrName)
      await apply(projects, current)
      const project = await readProject(projects, ctx, current.id)
      return { project, changed: isShownAlike(project, current) ? [] : await hostsOf(projects, project) }
    })
    parts.onHostsChanged(changed)
    return project
  }

  /** An offer that nobody took in time is over. */
  const shown = (project: Project): Project => {
    const { transfer } = project.details
    if (transfer?.completedAt !== null || isInTransfer(project.details, clock.now())) return project
    return { ...project, details: { ...project.details, transfer: null } }
  }

  return {
    ensure(ctx, text, settings) {
      const name = slugOfProject(text)
      return transact(async (stores) => {
        const { projects, events } = stores
        if (!(await projects.byIdOrName(ctx.owner.id, name)))
          await parts.quotas.check(ctx.owner, 'projects', 1, stores)
        const now = clock.now()
        const fresh = newProject(ctx.owner.id, name, now, { ...DEFAULT_BUILD_SETTINGS, ...settings })
        if (await projects.insert(fresh)) {
          checkMayAdd(ctx)
          await events.emit(projectEvent('project.created', fresh, by(ctx)))
        }
        const project = await readProject(projects, ctx, name)
        await projects.touch(ctx.owner.id, project.id, now)
        return readProject(projects, ctx, project.id)
      })
    },

    async create(ctx, command, variables = []) {
      checkMayAdd(ctx)
      if (variables.length > 0 && !maySetVariables(ctx.actor.installation))
        throw new AloftError('forbidden', 'The application lacks the scope `project-env-vars`.')
      const name = readProjectName(command.name)
      const empty = newProject(ctx.owner.id, name, clock.now())
      const project = { ...empty, ...readSettings(empty, command, circumstances(ctx, empty.id)) }
      return transact(async (stores) => {
        await parts.quotas.check(ctx.owner, 'projects', 1, stores)
        if (!(await stores.projects.insert(project))) throw nameTaken(name)
        await stores.events.emit(projectEvent('project.created', project, by(ctx)))
        if (variables.length > 0) await parts.beginVariables(stores, ctx, project, variables)
        return project
      })
    },

    get: (ctx, idOrName) => readProject(store, ctx, idOrName),

    async list(ctx, page, filter) {
      const { items, pagination } = await store.list(ctx.owner.id, page, { ...filter, ...only(reachOf(ctx)) })
      return { items: items.map(shown), pagination }
    },

    update: (ctx, idOrName, settings) =>
      change(ctx, idOrName, async (projects, current) => {
        const on = circumstances(ctx, current.id)
        const changed = readSettings(current, settings, on)
        if (!(await projects.update(current.id, changed, on.now))) throw nameTaken(settings.name)
      }),

    changeBypass: (ctx, idOrName, request) =>
      change(ctx, idOrName, async (projects, current) => {
        const now = clock.now()
        const protectionBypass = changeBypass(current, request, { vault, userId: ctx.actor.user.id, now })
        await projects.update(current.id, { details: { ...current.details, protectionBypass } }, now)
      }),

    bypassOf: (project) => showBypass(project, vault),

    switchDataCache: (ctx, idOrName, disabled) =>
      change(ctx, idOrName, async (projects, { id, details }) => {
        const dataCacheDisabled = disabled ?? details.dataCacheDisabled
        await projects.update(id, { details: { ...details, dataCacheDisabled } }, clock.now())
      }),

    async remove(ctx, idOrName) {
      if (ctx.actor.installation) await readProject(store, ctx, idOrName)
      if (!(await deleteProject(parts, ctx.owner.id, ctx.actor.user.id, idOrName)))
        throw unknownProject(idOrName)
    },

    deploymentsOf: (ctx, projects, latest) =>
      shownDeployments(
        store,
        ctx.owner.id,
        projects.map(({ id }) => id),
        latest,
      ),
  }
}
