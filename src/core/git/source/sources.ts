import { AloftError } from '#contract/errors.ts'
import { newBypassSecret } from '#contract/ids.ts'
import type { Origin } from '#contract/origins.ts'
import type { Context } from '../../access/context.ts'
import type { JobQueue } from '../../job/job-queue.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Locks } from '../../ports/locks.ts'
import type { Transact } from '../../ports/transact.ts'
import type { Vault } from '../../ports/vault.ts'
import type { ProjectStore } from '../../project/project-store.ts'
import type { Projects } from '../../project/projects.ts'
import { isSameSecret } from '../../same-secret.ts'
import type { GitRepositories } from '../git-repositories.ts'
import type { ConnectionStore } from '../host/connection.ts'
import type { Credentials } from '../host/credentials.ts'
import { checkDelivery, type Delivery, REFUSALS, webhookPurpose } from '../host/delivery.ts'
import { type FollowDeliveryParts, followDelivery, refuseDelivery } from '../host/follow-delivery.ts'
import type { HostAccounts } from '../host/host-accounts.ts'
import type { HostKind } from '../host/host-api.ts'
import { throughHost } from '../host/through-host.ts'
import { queueUnhook } from '../host/unhook-job.ts'
import type { PullStore } from '../pull/pull.ts'
import type { PushReason } from '../push/push.ts'
import type { PushStore } from '../push/push-store.ts'
import {
  type GitRemotes,
  type GitSource,
  isOverSsh,
  keyPurpose,
  readAddress,
  repositoryOf,
  type SourceStore,
  tokenPurpose,
} from './source.ts'
import type { SourceHooks } from './source-hook.ts'
import { queueSync } from './sync-job.ts'

interface SourceRequest {
  /** Either by its address, or by its name at a connected host. */
  readonly url?: string | undefined
  readonly token?: string | undefined
  readonly username?: string | undefined
  readonly host?: HostKind | undefined
  readonly connectionId?: string | undefined
  readonly repository?: string | undefined
}

export interface Sources {
  /** Undefined where the project is connected to no repository elsewhere. */
  find(ctx: Context, project: string): Promise<GitSource | undefined>
  connect(
    ctx: Context,
    project: string,
    given: SourceRequest,
  ): Promise<{
    readonly source: GitSource
    /** What the host is to sign its calls with, where it was made just now: it is never told again. */
    readonly webhookSecret: string | undefined
  }>
  disconnect(ctx: Context, project: string): Promise<void>
  /**
   * The host of the repository says that something was pushed. A call that is signed wrongly is refused; one that came
   * before has no effect, which is answered by false. Both are recorded.
   */
  called(projectId: string, secret: string, delivery: Delivery): Promise<boolean>
  /** Asks it now. */
  sync(ctx: Context, project: string): Promise<void>
}

interface SourcesParts {
  readonly store: SourceStore
  readonly projects: Pick<ProjectStore, 'byId'>
  readonly getProject: Projects['get']
  readonly repositories: Pick<GitRepositories, 'remove'>
  readonly remotes: Pick<GitRemotes, 'newKey'>
  readonly transact: Transact<{
    readonly sources: SourceStore
    readonly pushes: PushStore
    readonly pulls: PullStore
    readonly jobs: JobQueue
    readonly locks: Locks
  }>
  readonly connections: ConnectionStore
  readonly accounts: Pick<HostAccounts, 'repository'>
  readonly credentials: Credentials
  readonly hooks: SourceHooks
  readonly vault: Vault
  readonly clock: Clock
  /** Of this machine, which deliveries come to. */
  readonly origin: Origin
}

const notConnected = () => new AloftError('not_found', 'The project isn’t connected to a repository.')

/** A connected host signs in for all that the account can read there, which is not an application's to choose from. */
function checkApplication(
  { actor }: Context,
  before: GitSource | undefined,
  { connectionId, repository }: SourceRequest,
): void {
  if (actor.installation === undefined || connectionId === undefined) return
  if (before?.connectionId === connectionId && repositoryOf(before) === repository) return
  throw new AloftError(
    'forbidden',
    'An application can’t connect a project to other repositories of a connected Git host. A member of the account has to do it.',
  )
}

/**
 * Somebody may have connected the project at the same moment, and have entered what they were told at the host: that stays,
 * as it does when a project is connected anew.
 */
const withKnown = (source: GitSource, known: GitSource | undefined): GitSource => ({
  ...source,
  hookSecret: known?.hookSecret ?? source.hookSecret,
  sealedWebhookSecret: known?.sealedWebhookSecret ?? source.sealedWebhookSecret,
  ...(source.sealedKey !== null && known?.sealedKey
    ? { sealedKey: known.sealedKey, publicKey: known.publicKey }
    : {}),
})

export function createSources({
  store,
  projects,
  getProject,
  remotes,
  repositories,
  transact,
  connections,
  accounts,
  credentials,
  hooks,
  vault,
  clock,
  origin,
}: SourcesParts): Sources {
  async function findSource(ctx: Context, idOrName: string): Promise<GitSource> {
    const source = await store.find((await getProject(ctx, idOrName)).id)
    if (!source) throw notConnected()
    return source
  }

  const following: FollowDeliveryParts = { store, projects, transact, clock, origin }
  const refuse = (source: GitSource, reason: PushReason) => refuseDelivery(following, source, reason)

  return {
    find: async (ctx, idOrName) => store.find((await getProject(ctx, idOrName)).id),

    async connect(ctx, idOrName, given) {
      const project = await getProject(ctx, idOrName)
      const before = await store.find(project.id)
      checkApplication(ctx, before, given)
      const through = await throughHost({ connections, accounts, credentials, clock }, ctx, given)
      const address = readAddress(through?.url ?? given.url ?? '')
      const token = through ? undefined : (given.token ?? address.token)
      const isSsh = isOverSsh(address)
      if (isSsh && token !== undefined)
        throw new AloftError('bad_request', 'Repositories over SSH are read with a key. Omit `token`.')
      // The same key as before, so that connecting anew does not lock a project out of its repository.
      const key = !isSsh
        ? undefined
        : before?.sealedKey && before.publicKey
          ? { privateKey: vault.open(before.sealedKey, keyPurpose(project.id)), publicKey: before.publicKey }
          : await remotes.newKey(`aloft-${project.name}`)
      const webhookSecret = before?.sealedWebhookSecret ? undefined : newBypassSecret()
      const now = clock.now()
      const source: GitSource = {
        projectId: project.id,
        ownerId: project.ownerId,
        url: address.url,
        username: through ? 'git' : (given.username ?? address.username),
        host: through?.connection.kind ?? given.host ?? null,
        sealedToken: token === undefined ? null : vault.seal(token, tokenPurpose(project.id)),
        sealedKey: key === undefined ? null : vault.seal(key.privateKey, keyPurpose(project.id)),
        publicKey: key?.publicKey ?? null,
        // Connecting anew is how a key is trusted that a host has changed.
        knownHosts: null,
        hookSecret: before?.hookSecret ?? newBypassSecret(),
        sealedWebhookSecret:
          webhookSecret === undefined
            ? (before?.sealedWebhookSecret ?? null)
            : vault.seal(webhookSecret, webhookPurpose(project.id)),
        userId: ctx.actor.user.id,
        createdAt: now,
        checkedAt: null,
        problem: null,
        failures: 0,
        dueAt: now,
        connectionId: through?.connection.id ?? null,
        hook: null,
        pulls: null,
      }
      if (before && (await hooks.remove(before)) !== null)
        await transact(({ jobs }) => queueUnhook(jobs, before))
      // What another repository left behind says nothing of this one.
      if (before?.url !== source.url) await repositories.remove(project.id)
      const saved = await transact(async ({ sources, pulls, jobs, locks }) => {
        await locks.take('git-source', project.id)
        const kept = withKnown(source, await sources.find(project.id))
        if (before?.url !== kept.url) await pulls.clear(project.id)
        await sources.save(kept)
        await queueSync(jobs, kept, 'poll', ctx.origin)
        return kept
      })
      // Only now, since the delivery that it is tried by has to find the project connected.
      const isEntered = await hooks.make(saved, (hook) => store.update(project.id, { hook }))
      const made = (await store.find(project.id)) ?? saved
      // Where the host has it, nobody has to enter it there.
      const isGiven = isEntered || saved.sealedWebhookSecret !== source.sealedWebhookSecret
      return { source: made, webhookSecret: isGiven ? undefined : webhookSecret }
    },

    async disconnect(ctx, idOrName) {
      const source = await findSource(ctx, idOrName)
      const { projectId } = source
      const problem = await hooks.remove(source)
      await transact(async ({ sources, pulls, jobs }) => {
        if (!(await sources.remove(projectId))) throw notConnected()
        await pulls.clear(projectId)
        if (problem !== null) await queueUnhook(jobs, source)
      })
      if (problem !== null)
        await refuse(source, {
          code: 'webhook_left',
          message: `The webhook at the host could not be removed yet: ${problem} Removal is retried for a while; if the webhook stays, remove it there by hand.`,
        })
      await repositories.remove(projectId)
    },

    async called(projectId, secret, { proof, ...delivery }) {
      const source = await store.find(projectId)
      if (!source || !isSameSecret(source.hookSecret, secret))
        throw new AloftError('not_found', 'There is no such URL.')
      const sealed = source.sealedWebhookSecret
      const checked =
        proof === undefined || sealed === null
          ? undefined
          : await checkDelivery({ ...delivery, proof }, vault.open(sealed, webhookPurpose(projectId)))
      if (checked === undefined && delivery.read) {
        await refuse(source, REFUSALS.unsigned)
        throw new AloftError('forbidden', REFUSALS.unsigned.message)
      }
      if (checked?.isGenuine === false) {
        await refuse(source, REFUSALS.signature)
        throw new AloftError('forbidden', REFUSALS.signature.message)
      }
      if (checked) return followDelivery(following, source, { key: checked.key, pull: checked.content })
      await transact(({ jobs }) => queueSync(jobs, source, 'webhook', origin))
      return true
    },

    async sync(ctx, idOrName) {
      const source = await findSource(ctx, idOrName)
      await transact(({ jobs }) => queueSync(jobs, source, 'poll', ctx.origin))
    },
  }
}
