import { AloftError } from '#contract/errors.ts'
import { newBypassSecret } from '#contract/ids.ts'
import type { Context } from '../access/context.ts'
import type { JobQueue } from '../job/job-queue.ts'
import type { Clock } from '../ports/clock.ts'
import type { Transact } from '../ports/transact.ts'
import type { Vault } from '../ports/vault.ts'
import type { ProjectStore } from '../project/project-store.ts'
import type { Projects } from '../project/projects.ts'
import {
  checkDelivery,
  type Delivery,
  isSame,
  REFUSALS,
  REFUSED_KEPT,
  REFUSED_REF,
  webhookPurpose,
} from './delivery.ts'
import { followPull } from './follow-pull.ts'
import type { GitRepositories } from './git-repositories.ts'
import type { HostKind } from './host-api.ts'
import { newPush } from './new-push.ts'
import type { PullStore } from './pull.ts'
import type { PushReason } from './push.ts'
import type { PushStore } from './push-store.ts'
import {
  type GitRemotes,
  type GitSource,
  isOverSsh,
  keyPurpose,
  readAddress,
  type SourceStore,
  tokenPurpose,
} from './source.ts'
import { queueSync } from './sync-job.ts'

export interface Sources {
  /** Undefined where the project is connected to no repository elsewhere. */
  find(ctx: Context, project: string): Promise<GitSource | undefined>
  connect(
    ctx: Context,
    project: string,
    given: {
      readonly url: string
      readonly token?: string | undefined
      readonly username?: string | undefined
      readonly host?: HostKind | undefined
    },
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
  }>
  readonly vault: Vault
  readonly clock: Clock
}

export function createSources({
  store,
  projects,
  getProject,
  remotes,
  repositories,
  transact,
  vault,
  clock,
}: SourcesParts): Sources {
  async function known(ctx: Context, idOrName: string): Promise<GitSource> {
    const source = await store.find((await getProject(ctx, idOrName)).id)
    if (!source) throw new AloftError('not_found', 'The project isn’t connected to a repository.')
    return source
  }

  /** The account that it was connected by may have given the project away. */
  const ownerOf = async ({ projectId, ownerId }: GitSource): Promise<string> =>
    (await projects.byId(projectId))?.ownerId ?? ownerId

  async function refuse(source: GitSource, reason: PushReason): Promise<void> {
    const { projectId, userId } = source
    const ownerId = await ownerOf(source)
    await transact(async ({ pushes }) => {
      await newPush(pushes, clock, {
        ...{ projectId, ownerId, userId, source: 'webhook', ref: REFUSED_REF, before: null, after: null },
        ...{ state: 'skipped', reason },
      })
      await pushes.keepNewest(projectId, REFUSED_REF, REFUSED_KEPT)
    })
  }

  return {
    find: async (ctx, idOrName) => store.find((await getProject(ctx, idOrName)).id),

    async connect(ctx, idOrName, { url: text, ...given }) {
      const project = await getProject(ctx, idOrName)
      const address = readAddress(text)
      const token = given.token ?? address.token
      const before = await store.find(project.id)
      const isSsh = isOverSsh(address)
      if (isSsh && token !== undefined)
        throw new AloftError('bad_request', 'Repositories over SSH are read with a key. Leave `token` out.')
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
        username: given.username ?? address.username,
        host: given.host ?? null,
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
      }
      // What another repository left behind says nothing of this one.
      if (before?.url !== source.url) await repositories.remove(project.id)
      await transact(async ({ sources, pulls, jobs }) => {
        if (before?.url !== source.url) await pulls.clear(project.id)
        await sources.save(source)
        await queueSync(jobs, project.id, 'poll')
      })
      return { source, webhookSecret }
    },

    async disconnect(ctx, idOrName) {
      const { projectId } = await known(ctx, idOrName)
      await transact(async ({ sources, pulls }) => {
        await sources.remove(projectId)
        await pulls.clear(projectId)
      })
      await repositories.remove(projectId)
    },

    async called(projectId, secret, { proof, ...delivery }) {
      const source = await store.find(projectId)
      if (!source || !isSame(source.hookSecret, secret))
        throw new AloftError('not_found', 'There is no such address.')
      const sealed = source.sealedWebhookSecret
      const checked =
        proof === undefined || sealed === null
          ? undefined
          : await checkDelivery({ ...delivery, proof }, vault.open(sealed, webhookPurpose(projectId)))
      if (checked === undefined && delivery.readPull) {
        await refuse(source, REFUSALS.unsigned)
        throw new AloftError('forbidden', REFUSALS.unsigned.message)
      }
      if (checked?.isGenuine === false) {
        await refuse(source, REFUSALS.signature)
        throw new AloftError('forbidden', REFUSALS.signature.message)
      }
      const ownerId = await ownerOf(source)
      const isNew = await transact(async (stores) => {
        const { sources, jobs } = stores
        if (checked?.key !== undefined && !(await sources.remember(projectId, checked.key, clock.now())))
          return false
        if (checked?.pull) {
          const { userId, url } = source
          const whose = { projectId, ownerId, userId, repository: url, by: 'webhook' } as const
          await followPull(stores, clock, whose, checked.pull)
        }
        await queueSync(jobs, projectId, 'webhook')
        return true
      })
      if (!isNew) await refuse(source, REFUSALS.replayed)
      return isNew
    },

    async sync(ctx, idOrName) {
      const { projectId } = await known(ctx, idOrName)
      await transact(({ jobs }) => queueSync(jobs, projectId, 'poll'))
    },
  }
}
