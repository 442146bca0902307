import { NEW_PROJECT_NODE_VERSION } from '#contract/api/node-versions.ts'
import { AloftError, noSuch } from '#contract/errors.ts'
import type { Page, PageQuery } from '#contract/page.ts'
import { SECOND } from '#contract/time.ts'
import type { Context } from '../../access/context.ts'
import { checkMayAdd, checkReach } from '../../access/reach.ts'
import type { JobQueue } from '../../job/job-queue.ts'
import type { Bus } from '../../ports/bus.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Transact } from '../../ports/transact.ts'
import type { Project } from '../../project/project.ts'
import { slugOfProject } from '../../project/project-name.ts'
import type { ProjectStore } from '../../project/project-store.ts'
import type { Projects } from '../../project/projects.ts'
import type { GitRepositories } from '../git-repositories.ts'
import { newPush } from './new-push.ts'
import { branchOfRef, PUSHES_TOPIC, type Push, type PushOptions, type PushSource } from './push.ts'
import type { PushStore } from './push-store.ts'
import { queuePush } from './queue-push.ts'

/** One ref that a push moves. */
export interface RefUpdate {
  readonly ref: string
  readonly before: string | null
  readonly after: string | null
}

export interface RefResult {
  readonly ref: string
  /** Undefined where it was taken. */
  readonly refusal: string | undefined
}

export interface Pushes {
  /** The project that a repository is of; undefined where there is none yet. */
  find(ctx: Context, name: string): Promise<Project | undefined>
  /** The same, made where there is none, with its repository. */
  open(ctx: Context, name: string): Promise<Project>
  /** Remembers what is about to come, before any of it is taken: what git took is never forgotten afterwards. */
  begin(
    ctx: Context,
    project: Project,
    updates: readonly RefUpdate[],
    options: PushOptions & { readonly source: PushSource },
  ): Promise<readonly Push[]>
  /** Says what became of it; what was taken is queued for good. */
  received(project: Project, pushes: readonly Push[], results: readonly RefResult[]): Promise<void>
  list(ctx: Context, project: string, page: PageQuery): Promise<Page<Push>>
  get(ctx: Context, project: string, id: string): Promise<Push>
  /** Has one deployed that was held because it came from a fork: this commit, and none that follows. */
  approve(ctx: Context, project: string, id: string): Promise<Push>
  /** Once more, whatever came of it; also how one is approved that was held. */
  again(ctx: Context, project: string, id: string): Promise<Push>
}

interface PushesParts {
  readonly store: PushStore
  readonly projects: Pick<ProjectStore, 'byIdOrName'>
  readonly ensureProject: Projects['ensure']
  readonly getProject: Projects['get']
  readonly repositories: GitRepositories
  readonly transact: Transact<{ readonly pushes: PushStore; readonly jobs: JobQueue }>
  readonly bus: Bus
  readonly clock: Clock
}

/** Until then whoever receives it tells by itself. */
const LOOK_AGAIN = 15 * SECOND

export function createPushes(parts: PushesParts): Pushes {
  const { store, repositories, transact, bus, clock } = parts

  async function find(ctx: Context, name: string): Promise<Project | undefined> {
    const project = await parts.projects.byIdOrName(ctx.owner.id, name)
    if (project) checkReach(ctx, project.id)
    return project
  }

  async function findPush(ctx: Context, idOrName: string, id: string): Promise<Push> {
    const project = await parts.getProject(ctx, idOrName)
    const push = await store.byId(id)
    if (push?.projectId !== project.id) throw noSuch('push', id, 'The project has')
    return push
  }

  /** What a clone begins with: the branch that there is. */
  async function mendHead(id: string, taken: readonly Push[]): Promise<void> {
    const head = await repositories.head(id)
    const ref = head === undefined ? '' : `refs/heads/${head}`
    // Nearly always this is what was pushed, and git need not be started to list all others.
    if (taken.some((push) => push.ref === ref && push.after !== null)) return
    const refs = await repositories.refs(id)
    if (refs.has(ref)) return
    const branches = taken.flatMap(({ ref }) => (refs.has(ref) ? (branchOfRef(ref) ?? []) : []))
    const branch = branches.find((name) => name === 'main') ?? branches[0]
    if (branch !== undefined) await repositories.setHead(id, branch)
  }

  return {
    find,

    async open(ctx, name) {
      const known = await find(ctx, name)
      if (!known) {
        checkMayAdd(ctx)
        if (slugOfProject(name) !== name)
          throw new AloftError(
            'bad_request',
            `\`${name.slice(0, 100)}\` is not a valid project name. Use lowercase letters, digits and \`-\`, such as \`${slugOfProject(name)}\`.`,
          )
      }
      const project =
        known ?? (await parts.ensureProject(ctx, name, { nodeVersion: NEW_PROJECT_NODE_VERSION }))
      await repositories.ensure(project.id)
      return project
    },

    begin: ({ actor, owner, origin }, project, updates, { source, ...options }) =>
      transact(async ({ pushes, jobs }) => {
        const begun: Push[] = []
        for (const { ref, before, after } of updates) {
          const push = await newPush(pushes, clock, {
            ...{ ref, before, after, source, origin, options, state: 'receiving' },
            ownerId: owner.id,
            projectId: project.id,
            userId: actor.user.id,
          })
          await queuePush(jobs, push, { runAt: clock.now() + LOOK_AGAIN })
          begun.push(push)
        }
        return begun
      }),

    async received(project, begun, results) {
      const refusals = new Map(results.map(({ ref, refusal }) => [ref, refusal]))
      const isTaken = ({ ref }: Push) => refusals.has(ref) && refusals.get(ref) === undefined
      await mendHead(project.id, begun.filter(isTaken))
      await transact(async ({ pushes, jobs }) => {
        const now = clock.now()
        for (const push of begun) {
          const change = isTaken(push)
            ? { state: 'queued' as const, stateAt: now }
            : {
                state: 'failed' as const,
                stateAt: now,
                reason: {
                  code: 'refused',
                  message: `Git refused it: ${refusals.get(push.ref) ?? 'it was incomplete'}.`,
                },
              }
          if ((await pushes.update(push.id, ['receiving'], change)) && isTaken(push))
            await queuePush(jobs, push, { round: 1 })
        }
      })
      for (const { id } of begun) bus.publish(PUSHES_TOPIC, id)
    },

    async list(ctx, idOrName, page) {
      const { id } = await parts.getProject(ctx, idOrName)
      return store.list(id, page)
    },

    get: findPush,

    async approve(ctx, idOrName, id) {
      const push = await findPush(ctx, idOrName, id)
      if (push.state !== 'held') throw notHeld()
      return repeat(ctx, push)
    },

    again: async (ctx, idOrName, id) => repeat(ctx, await findPush(ctx, idOrName, id)),
  }

  function repeat(ctx: Context, earlier: Push): Promise<Push> {
    const { id, ref, after, projectId, ownerId, author, message, fork, pull, options, state } = earlier
    if (after === null)
      throw new AloftError('bad_request', 'A push that deleted a branch can’t be run again.')
    return transact(async ({ pushes, jobs }) => {
      const push = await newPush(pushes, clock, {
        ...{ ref, after, projectId, ownerId, author, message, fork, pull, options },
        before: after,
        source: 'again',
        origin: ctx.origin,
        userId: ctx.actor.user.id,
        state: 'queued',
      })
      const isApproved = await pushes.update(id, ['held'], {
        state: 'skipped',
        stateAt: clock.now(),
        reason: { code: 'approved', message: `Approved; deployed as ${push.id}.` },
      })
      // Somebody else has approved it meanwhile, or a newer one came.
      if (state === 'held' && !isApproved) throw notHeld()
      await queuePush(jobs, push)
      return push
    })
  }
}

const notHeld = () =>
  new AloftError(
    'conflict',
    'The push isn’t waiting for approval. See its result with `aloft git deliveries`.',
  )
