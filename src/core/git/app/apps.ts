import { AloftError, invalidRequest, noSuch } from '#contract/errors.ts'
import { newBearer, newId } from '#contract/ids.ts'
import { HOUR, MINUTE } from '#contract/time.ts'
import type { Context } from '../../access/context.ts'
import type { Allows } from '../../outbound/allowed-addresses.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Locks } from '../../ports/locks.ts'
import type { Transact } from '../../ports/transact.ts'
import type { Vault } from '../../ports/vault.ts'
import { hashBearer } from '../../token/token.ts'
import type { ConnectionStore, GitConnection } from '../host/connection.ts'
import { asked, readHost } from '../host/connections.ts'
import { HostRefusal } from '../host/host-api.ts'
import { type AppSecrets, type AppStore, appPurpose, type GitApp, MOST_APPS } from './app.ts'
import type { AppAccess } from './app-access.ts'
import type { HostApps } from './host-apps.ts'
import type { RefreshInstallations } from './installations.ts'
import { manifestOf, manifestTarget } from './manifest.ts'

/** What a browser posts to the host, which then makes the app and leads back. */
export interface ManifestForm {
  readonly target: string
  readonly manifest: string
}

/** GitHub Apps of an account, made by the manifest flow. Whoever may act for an account here may use its apps. */
export interface GitApps {
  /** Answers what the browser is to be led through; it is good for an hour. */
  begin(
    ctx: Context,
    request: { readonly url?: string | undefined; readonly organization?: string | undefined },
  ): Promise<{ readonly app: GitApp; readonly state: string }>
  /** For whoever was given the state. It only makes an app: whose it becomes here is decided by `convert`. */
  form(state: string): Promise<ManifestForm>
  /** The host has made it. Only whoever began may end it, so that nobody can be led to connect theirs to another account. */
  convert(ctx: Context, id: string, given: { readonly code: string; readonly state: string }): Promise<GitApp>
  /** Asks the host where the app is installed; each place becomes a connection. */
  installed(ctx: Context, id: string): Promise<readonly GitConnection[]>
  list(ctx: Context): Promise<readonly GitApp[]>
  /** Refused while one of its installations is connected. */
  remove(ctx: Context, id: string): Promise<void>
}

interface AppsParts {
  readonly store: AppStore
  readonly transact: Transact<{
    readonly apps: AppStore
    readonly connections: ConnectionStore
    readonly locks: Locks
  }>
  readonly access: Pick<AppAccess, 'keyOf'>
  readonly refresh: RefreshInstallations
  readonly hostApps: Pick<HostApps, 'convert'>
  readonly allowsAddress: Allows
  readonly vault: Vault
  readonly clock: Clock
  /** `{base_url}`. */
  readonly site: string
}

const GOOD_FOR = HOUR
/** As GitHub spells names of organizations and codes. */
const ORGANIZATION = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,98}[A-Za-z0-9])?$/
const CODE = /^[\w-]{1,200}$/

export function createGitApps(parts: AppsParts): GitApps {
  const { store, transact, access, hostApps, vault, clock, site } = parts

  const get = async ({ owner }: Context, id: string): Promise<GitApp> => {
    const found = await store.byId(id)
    if (found?.ownerId !== owner.id) throw unknown(id)
    return found
  }

  const isPending = ({ stateHash, createdAt }: GitApp): boolean =>
    stateHash !== null && clock.now() < createdAt + GOOD_FOR

  return {
    async begin(ctx, { url: given, organization }) {
      const url = readHost('github', given, parts.allowsAddress)
      if (organization !== undefined && !ORGANIZATION.test(organization))
        throw invalidRequest('`organization` should be its name at GitHub')
      const id = newId.gitApp()
      const secret = newBearer()
      const app: GitApp = {
        ...{ id, ownerId: ctx.owner.id, slug: ctx.owner.slug, url, organization: organization ?? null },
        ...{ createdBy: ctx.actor.user.id, createdAt: clock.now(), stateHash: hashBearer(secret) },
        ...{ made: null, heardAt: null, refusedAt: null },
      }
      await transact(async ({ apps, locks }) => {
        await locks.take('git-apps', ctx.owner.id)
        const all = await apps.list(ctx.owner.id)
        // What was begun and never ended is of no use to anybody.
        const left = all.filter((one) => one.made === null && !isPending(one))
        for (const one of left) await apps.remove(ctx.owner.id, one.id)
        if (all.length - left.length >= MOST_APPS)
          throw new AloftError('conflict', `An account can have at most ${MOST_APPS} GitHub Apps.`)
        await apps.add(app)
      })
      return { app, state: `${id}.${secret}` }
    },

    async form(state) {
      const [id = '', secret = ''] = state.split('.')
      const app = await store.byId(id)
      if (!app || app.stateHash !== hashBearer(secret) || !isPending(app)) throw over()
      return { target: manifestTarget(app, state), manifest: JSON.stringify(manifestOf(app, site)) }
    },

    async convert(ctx, id, { code, state }) {
      const app = await get(ctx, id)
      const [named, secret = ''] = state.split('.')
      if (!CODE.test(code)) throw invalidRequest('`code` is malformed')
      if (named !== id || app.createdBy !== ctx.actor.user.id || !isPending(app)) throw over()
      if (!(await store.claim(id, hashBearer(secret)))) throw over()
      const made = await asked(
        hostApps.convert(app.url, code, AbortSignal.timeout(MINUTE)).catch((error: unknown) => {
          if (error instanceof HostRefusal && error.status === 404)
            throw new AloftError(
              'bad_request',
              `${new URL(app.url).hostname} does not accept the code: it was already used, or is older than an hour. Connect GitHub again.`,
            )
          throw error
        }),
        app.url,
      )
      const { pem, clientSecret, webhookSecret, ...rest } = made
      const secrets: AppSecrets = { pem, clientSecret, webhookSecret }
      const change = {
        made: {
          ...rest,
          sealedSecrets: vault.seal(JSON.stringify(secrets), appPurpose(id)),
          isCalling: webhookSecret !== null,
        },
      }
      await store.update(id, change)
      return { ...app, ...change, stateHash: null }
    },

    async installed(ctx, id) {
      const app = await get(ctx, id)
      const key = access.keyOf(app)
      if (!key) throw new AloftError('conflict', 'The GitHub App was not created yet. Connect GitHub again.')
      return asked(parts.refresh(app, key), app.url)
    },

    list: ({ owner }) => store.list(owner.id),

    async remove(ctx, id) {
      const app = await get(ctx, id)
      if (ctx.owner.role !== 'OWNER' && ctx.actor.user.id !== app.createdBy)
        throw new AloftError(
          'forbidden',
          'Only an OWNER of the team or the person who created it can remove it.',
        )
      await transact(async (stores) => {
        await stores.locks.take('connections', ctx.owner.id)
        if ((await stores.connections.list(ctx.owner.id)).some((one) => one.app?.id === id))
          throw new AloftError(
            'conflict',
            'The GitHub App is connected. Remove the connected Git host first.',
          )
        if (!(await stores.apps.remove(ctx.owner.id, id))) throw unknown(id)
      })
    },
  }
}

const unknown = (id: string) => noSuch('GitHub App', id)

const over = () =>
  new AloftError(
    'bad_request',
    'This request to connect GitHub is not valid: it was started by someone else, was already used, or is older than an hour. Connect GitHub again.',
  )
