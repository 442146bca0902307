import { AloftError, invalidRequest, noSuch } from '#contract/errors.ts'
import { PAGE_LIMIT } from '#contract/page.ts'
import type { Context } from '../access/context.ts'
import type { Application } from '../application/application.ts'
import type { ApplicationStore } from '../application/application-store.ts'
import type { Clock } from '../ports/clock.ts'
import type { Transact } from '../ports/transact.ts'
import type { ProjectStore } from '../project/project-store.ts'
import type { TeamStore } from '../team/team-store.ts'
import type { TokenStore } from '../token/token-store.ts'
import type { Installation } from './installation.ts'
import { projectsChangedEvent, scopesConfirmedEvent } from './installation-events.ts'
import type { InstallationStore } from './installation-store.ts'
import { readSelection, type Selection } from './read-selection.ts'
import { type RemovalStores, removeInstallation } from './remove-installation.ts'
import { confirmScopes } from './scope-change.ts'

export interface Installed {
  readonly installation: Installation
  readonly application: Application
}

/** Applications in an account, as the people of that account see them, and each application itself. */
export interface Installations {
  list(ctx: Context): Promise<readonly Installed[]>
  get(ctx: Context, id: string): Promise<Installed>
  /** Chooses the projects that it may touch. */
  select(ctx: Context, id: string, selection: Selection): Promise<Installed>
  /** Agrees to all that the application asks for besides what it has. */
  confirmScopes(ctx: Context, id: string): Promise<Installed>
  /** Makes an OWNER of the team answer for it; one that was disabled works again. */
  transfer(ctx: Context, id: string, userId: string): Promise<Installed>
  remove(ctx: Context, id: string): Promise<void>
}

interface InstallationStores extends RemovalStores {
  readonly applications: Pick<ApplicationStore, 'byId'>
  readonly installations: InstallationStore
  readonly projects: Pick<ProjectStore, 'byIdOrName'>
  readonly teams: TeamStore
  readonly tokens: TokenStore
}

interface InstallationParts {
  readonly stores: Pick<InstallationStores, 'applications' | 'installations'>
  readonly transact: Transact<InstallationStores>
  readonly clock: Clock
}

type InstallationReads = Pick<InstallationStores, 'applications' | 'installations'>

export function createInstallations({ stores, transact, clock }: InstallationParts): Installations {
  const unknown = (id: string) => noSuch('configuration', id)

  /** An application sees its own installation, and none beside it. */
  const isSeen = ({ actor }: Context, id: string): boolean =>
    actor.installation === undefined || actor.installation.id === id

  async function findInstallation(
    { applications, installations }: InstallationReads,
    ctx: Context,
    id: string,
  ): Promise<Installed> {
    const installation = isSeen(ctx, id) ? await installations.find(ctx.owner.id, id) : undefined
    const application = installation && (await applications.byId(installation.applicationId))
    if (!installation || !application) throw unknown(id)
    return { installation, application }
  }

  const change = (
    ctx: Context,
    id: string,
    work: (stores: InstallationStores, installed: Installed, now: number) => Promise<Partial<Installation>>,
  ): Promise<Installed> =>
    transact(async (tx) => {
      await tx.installations.lock(id)
      const installed = await findInstallation(tx, ctx, id)
      checkMayChange(ctx, installed.installation)
      const now = clock.now()
      const changed = { ...(await work(tx, installed, now)), updatedAt: now }
      await tx.installations.update(id, changed)
      return { ...installed, installation: { ...installed.installation, ...changed } }
    })

  return {
    async list(ctx) {
      const { items } = await stores.installations.list(ctx.owner.id, { limit: PAGE_LIMIT.max })
      const seen = items.filter(({ id }) => isSeen(ctx, id))
      const applications = await Promise.all(
        seen.map(({ applicationId }) => stores.applications.byId(applicationId)),
      )
      return seen.flatMap((installation, i) => {
        const application = applications[i]
        return application ? [{ installation, application }] : []
      })
    },

    get: (ctx, id) => findInstallation(stores, ctx, id),

    select: (ctx, id, request) =>
      change(ctx, id, async ({ projects, events }, { installation }, now) => {
        const selection = await readSelection(projects, ctx.owner.id, request)
        const after = { ...installation, ...selection }
        await events.emit(projectsChangedEvent(installation, after, { userId: ctx.actor.user.id, at: now }))
        return selection
      }),

    confirmScopes: (ctx, id) =>
      change(ctx, id, async ({ events }, { installation, application }, now) => {
        const changed = confirmScopes(installation, application.scopes, now)
        if (!changed) throw new AloftError('not_modified', 'The application requests no further permissions.')
        const after = { ...installation, ...changed }
        await events.emit(scopesConfirmedEvent(after, { userId: ctx.actor.user.id, at: now }))
        return changed
      }),

    transfer: (ctx, id, userId) =>
      change(ctx, id, async ({ teams, tokens }, { installation }) => {
        if (installation.teamId === null) throw invalidRequest('the application is not installed in a team')
        if (ctx.owner.role !== 'OWNER')
          throw new AloftError('forbidden', 'Only an OWNER of the team can do this.')
        const member = await teams.member(installation.teamId, userId)
        if (!member)
          throw new AloftError('member_not_found', `The user \`${userId}\` is not a member of this team.`)
        if (member.role !== 'OWNER') throw invalidRequest('`userId` should be an OWNER of the team')
        await tokens.handOver(id, userId)
        return { userId, disabledAt: null, disabledReason: null }
      }),

    remove: (ctx, id) =>
      transact(async (tx) => {
        await tx.installations.lock(id)
        const { installation } = await findInstallation(tx, ctx, id)
        if (ctx.actor.installation === undefined) checkMayChange(ctx, installation)
        await removeInstallation(tx, installation, { userId: ctx.actor.user.id, at: clock.now() })
      }),
  }
}

/** Whoever installed it answers for it, and every OWNER of the team. */
function checkMayChange({ actor, owner }: Context, { userId }: Installation): void {
  if (owner.role !== 'OWNER' && actor.user.id !== userId)
    throw new AloftError(
      'forbidden',
      'Only the person who installed it and the OWNERs of the team can do this.',
    )
}
