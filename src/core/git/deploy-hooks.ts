import { AloftError, invalidRequest, noSuch } from '#contract/errors.ts'
import { newId } from '#contract/ids.ts'
import type { Origin } from '#contract/origins.ts'
import type { Context } from '../access/context.ts'
import { refuseBlocked } from '../access/soft-block.ts'
import type { JobQueue } from '../job/job-queue.ts'
import type { Clock } from '../ports/clock.ts'
import type { Transact } from '../ports/transact.ts'
import { findProject } from '../project/find-project.ts'
import type { Project } from '../project/project.ts'
import type { DeployHook } from '../project/project-details.ts'
import type { ProjectStore } from '../project/project-store.ts'
import type { Projects } from '../project/projects.ts'
import { isSameSecret } from '../same-secret.ts'
import { newPush } from './push/new-push.ts'
import { LATEST, type Push, refOfBranch } from './push/push.ts'
import type { PushStore } from './push/push-store.ts'
import { queuePush } from './push/queue-push.ts'

export interface DeployHooks {
  create(ctx: Context, project: string, hook: Pick<DeployHook, 'name' | 'ref'>): Promise<Project>
  remove(ctx: Context, project: string, id: string): Promise<Project>
  /** Somebody called the address of a hook. */
  call(projectId: string, hookId: string): Promise<Push>
}

interface HookParts {
  readonly projects: Pick<ProjectStore, 'byId'>
  readonly getProject: Projects['get']
  readonly transact: Transact<{
    readonly projects: ProjectStore
    readonly pushes: PushStore
    readonly jobs: JobQueue
  }>
  /** Whether an account may deploy nothing until its payment is settled. */
  readonly isBlocked: (ownerId: string) => Promise<boolean>
  readonly clock: Clock
  readonly origin: Origin
}

const MAX_HOOKS = 20

const BRANCH = /^(?!-)(?!.*(?:\.\.|\/\/|@\{|\\|\/$|\.lock$))[^\s\p{Cc}~^:?*[]{1,250}$/u

export function createDeployHooks({
  projects,
  getProject,
  transact,
  isBlocked,
  clock,
  origin,
}: HookParts): DeployHooks {
  const change = async (
    ctx: Context,
    idOrName: string,
    make: (hooks: readonly DeployHook[]) => readonly DeployHook[],
  ): Promise<Project> => {
    await transact(async (stores) => {
      const project = await findProject(stores.projects, ctx, idOrName, 'lock')
      const deployHooks = make(project.details.deployHooks)
      await stores.projects.update(project.id, { details: { ...project.details, deployHooks } }, clock.now())
    })
    return getProject(ctx, idOrName)
  }

  return {
    create: (ctx, idOrName, { name, ref }) => {
      if (!BRANCH.test(ref)) throw invalidRequest('`ref` should be the name of a branch')
      return change(ctx, idOrName, (hooks) => {
        if (hooks.length >= MAX_HOOKS)
          throw new AloftError('bad_request', `A project can have at most ${MAX_HOOKS} deploy hooks.`)
        const hook = { id: newId.deployHook(), name, ref, userId: ctx.actor.user.id, createdAt: clock.now() }
        return [...hooks, hook]
      })
    },

    remove: (ctx, idOrName, id) =>
      change(ctx, idOrName, (hooks) => {
        const left = hooks.filter((hook) => hook.id !== id)
        if (left.length === hooks.length) throw noSuch('deploy hook', id, 'The project has')
        return left
      }),

    async call(projectId, hookId) {
      const project = await projects.byId(projectId)
      const hook = project?.details.deployHooks.find(({ id }) => isSameSecret(id, hookId))
      if (!project || !hook)
        throw new AloftError('not_found', 'There is no such deploy hook, or it was revoked.')
      refuseBlocked({ softBlocked: await isBlocked(project.ownerId) })
      return transact(async ({ pushes, jobs }) => {
        const push = await newPush(pushes, clock, {
          ownerId: project.ownerId,
          projectId: project.id,
          userId: hook.userId,
          source: 'hook',
          origin,
          ref: refOfBranch(hook.ref),
          before: null,
          after: LATEST,
          state: 'queued',
        })
        await queuePush(jobs, push)
        return push
      })
    },
  }
}
