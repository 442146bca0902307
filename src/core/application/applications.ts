import { randomBytes } from 'node:crypto'
import { AloftError, noSuch } from '#contract/errors.ts'
import { newId, newSuffix } from '#contract/ids.ts'
import type { Page, PageQuery } from '#contract/page.ts'
import type { Context } from '../access/context.ts'
import type { InstallationStore } from '../installation/installation-store.ts'
import { narrowInstallations } from '../installation/narrow-installations.ts'
import type { JobQueue } from '../job/job-queue.ts'
import type { Allows } from '../outbound/allowed-addresses.ts'
import type { Clock } from '../ports/clock.ts'
import type { Locks } from '../ports/locks.ts'
import type { Transact } from '../ports/transact.ts'
import type { Vault } from '../ports/vault.ts'
import { type Application, clientSecretPurpose } from './application.ts'
import type { ApplicationStore } from './application-store.ts'
import { lockApplication } from './lock-application.ts'
import { type ApplicationRequest, readApplication, slugFor } from './read-application.ts'

/** Carries what changed in an application to where it is installed. */
export const SCOPES_JOB = 'applications.change-scopes'
export const REMOVE_JOB = 'applications.remove'

/** How many an account may have. */
const MOST_APPLICATIONS = 50

interface WithSecret {
  readonly application: Application
  /** In this answer and nowhere else. */
  readonly secret: string
}

/** Programs that accounts can install, as those who make them see them. */
export interface Applications {
  create(ctx: Context, request: ApplicationRequest): Promise<WithSecret>
  list(ctx: Context, page: PageQuery): Promise<Page<Application>>
  get(ctx: Context, id: string): Promise<Application>
  /** Wider scopes have to be agreed to wherever it is installed; narrower ones hold there as soon as it is told. */
  change(ctx: Context, id: string, change: Partial<ApplicationRequest>): Promise<Application>
  /** A new secret; the one before is worth nothing from now on. */
  rotateSecret(ctx: Context, id: string): Promise<WithSecret>
  /** Also wherever it is installed. */
  remove(ctx: Context, id: string): Promise<void>
}

interface ApplicationStores {
  readonly locks: Locks
  readonly applications: ApplicationStore
  readonly installations: Pick<InstallationStore, 'everywhere' | 'lock' | 'update'>
  readonly jobs: JobQueue
}

interface ApplicationParts {
  readonly store: ApplicationStore
  readonly transact: Transact<ApplicationStores>
  readonly vault: Vault
  readonly clock: Clock
  /** Which addresses requests may be sent to. */
  readonly allowsAddress: Allows
}

export function createApplications(parts: ApplicationParts): Applications {
  const { store, transact, vault, clock } = parts

  async function owned(applications: ApplicationStore, ctx: Context, id: string): Promise<Application> {
    const application = await applications.find(ctx.owner.id, id)
    if (!application) throw noSuch('application', id)
    return application
  }

  const newSecret = (id: string) => {
    const secret = randomBytes(24).toString('hex')
    return { secret, sealedSecret: vault.seal(secret, clientSecretPurpose(id)) }
  }

  return {
    async create(ctx, request) {
      checkRole(ctx)
      const now = clock.now()
      const id = newId.application()
      const { secret, sealedSecret } = newSecret(id)
      const application: Application = {
        webhookUrl: null,
        note: null,
        ...(readApplication(
          { ...request, slug: request.slug ?? slugFor(request.name) },
          parts.allowsAddress,
        ) as Pick<Application, 'name' | 'slug' | 'redirectUrl' | 'scopes'>),
        id,
        ownerId: ctx.owner.id,
        creatorId: ctx.actor.user.id,
        clientId: newId.client(),
        sealedSecret,
        createdAt: now,
        updatedAt: now,
      }
      return transact(async ({ applications, locks }) => {
        await locks.take('applications', ctx.owner.id)
        const { items } = await applications.list(ctx.owner.id, { limit: MOST_APPLICATIONS })
        if (items.length >= MOST_APPLICATIONS)
          throw new AloftError('conflict', `An account has at most ${MOST_APPLICATIONS} applications.`)
        if (await applications.add(application)) return { application, secret }
        if (request.slug !== undefined) throw slugTaken(request.slug)
        const other = { ...application, slug: `${application.slug}-${newSuffix()}` }
        if (!(await applications.add(other))) throw slugTaken(other.slug)
        return { application: other, secret }
      })
    },

    list: (ctx, page) => store.list(ctx.owner.id, page),
    get: (ctx, id) => owned(store, ctx, id),

    change(ctx, id, request) {
      checkRole(ctx)
      const change = { ...readApplication(request, parts.allowsAddress), updatedAt: clock.now() }
      return transact(async ({ applications, installations, jobs, locks }) => {
        await lockApplication(locks, id)
        const application = await owned(applications, ctx, id)
        if (!(await applications.update(id, change))) throw slugTaken(change.slug ?? application.slug)
        if (change.scopes !== undefined) {
          await narrowInstallations(installations, id, change.scopes, change.updatedAt)
          await jobs.enqueue({ kind: SCOPES_JOB, payload: { applicationId: id } })
        }
        return { ...application, ...change }
      })
    },

    rotateSecret(ctx, id) {
      checkRole(ctx)
      const { secret, sealedSecret } = newSecret(id)
      return transact(async ({ applications, locks }) => {
        await lockApplication(locks, id)
        const application = await owned(applications, ctx, id)
        const change = { sealedSecret, updatedAt: clock.now() }
        await applications.update(id, change)
        return { application: { ...application, ...change }, secret }
      })
    },

    remove(ctx, id) {
      checkRole(ctx)
      return transact(async ({ applications, jobs, locks }) => {
        await lockApplication(locks, id)
        await owned(applications, ctx, id)
        await applications.retire(id)
        await jobs.enqueue({
          kind: REMOVE_JOB,
          payload: { applicationId: id, userId: ctx.actor.user.id },
        })
      })
    },
  }
}

function checkRole({ owner }: Context): void {
  if (owner.role !== 'OWNER')
    throw new AloftError('forbidden', 'Only an OWNER of the team can register or change its applications.')
}

const slugTaken = (slug: string) => new AloftError('conflict', `The slug \`${slug}\` is taken.`, { slug })
