import { createHash, timingSafeEqual } from 'node:crypto'
import { AloftError } from '#contract/errors.ts'
import { newBypassSecret } from '#contract/ids.ts'
import type { Context } from '../access/context.ts'
import type { JobQueue } from '../job/job-queue.ts'
import type { Clock } from '../ports/clock.ts'
import type { Transact } from '../ports/transact.ts'
import type { Vault } from '../ports/vault.ts'
import type { Projects } from '../project/projects.ts'
import type { GitRepositories } from './git-repositories.ts'
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
    },
  ): Promise<GitSource>
  disconnect(ctx: Context, project: string): Promise<void>
  /** The host of the repository says that something was pushed. */
  called(projectId: string, secret: string): Promise<void>
  /** Asks it now. */
  sync(ctx: Context, project: string): Promise<void>
}

interface SourcesParts {
  readonly store: SourceStore
  readonly getProject: Projects['get']
  readonly repositories: Pick<GitRepositories, 'remove'>
  readonly remotes: Pick<GitRemotes, 'newKey'>
  readonly transact: Transact<{ readonly sources: SourceStore; readonly jobs: JobQueue }>
  readonly vault: Vault
  readonly clock: Clock
}

const digest = (text: string) => createHash('sha256').update(text).digest()

export function createSources({
  store,
  getProject,
  remotes,
  repositories,
  transact,
  vault,
  clock,
}: SourcesParts): Sources {
  async function known(ctx: Context, idOrName: string): Promise<GitSource> {
    const source = await store.find((await getProject(ctx, idOrName)).id)
    if (!source) throw new AloftError('not_found', 'The project is connected to no repository.')
    return source
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
        throw new AloftError('bad_request', 'A repository over SSH is read with a key: leave `token` out.')
      // The same key as before, so that connecting anew does not lock a project out of its repository.
      const key = !isSsh
        ? undefined
        : before?.sealedKey && before.publicKey
          ? { privateKey: vault.open(before.sealedKey, keyPurpose(project.id)), publicKey: before.publicKey }
          : await remotes.newKey(`aloft-${project.name}`)
      const now = clock.now()
      const source: GitSource = {
        projectId: project.id,
        ownerId: project.ownerId,
        url: address.url,
        username: given.username ?? address.username,
        sealedToken: token === undefined ? null : vault.seal(token, tokenPurpose(project.id)),
        sealedKey: key === undefined ? null : vault.seal(key.privateKey, keyPurpose(project.id)),
        publicKey: key?.publicKey ?? null,
        hookSecret: before?.hookSecret ?? newBypassSecret(),
        userId: ctx.actor.user.id,
        createdAt: now,
        checkedAt: null,
        problem: null,
        failures: 0,
        dueAt: now,
      }
      // What another repository left behind says nothing of this one.
      if (before?.url !== source.url) await repositories.remove(project.id)
      await transact(async ({ sources, jobs }) => {
        await sources.save(source)
        await queueSync(jobs, project.id, 'poll')
      })
      return source
    },

    async disconnect(ctx, idOrName) {
      const { projectId } = await known(ctx, idOrName)
      await store.remove(projectId)
      await repositories.remove(projectId)
    },

    async called(projectId, secret) {
      const source = await store.find(projectId)
      if (!source || !timingSafeEqual(digest(source.hookSecret), digest(secret)))
        throw new AloftError('not_found', 'There is no such address.')
      await transact(({ jobs }) => queueSync(jobs, projectId, 'webhook'))
    },

    async sync(ctx, idOrName) {
      const { projectId } = await known(ctx, idOrName)
      await transact(({ jobs }) => queueSync(jobs, projectId, 'poll'))
    },
  }
}
