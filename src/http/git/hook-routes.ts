import * as api from '#contract/api/git.ts'
import type { Context } from '#core/access/context.ts'
import type { DeployHooks } from '#core/git/deploy-hooks.ts'
import type { Project } from '#core/project/project.ts'
import type { Projects } from '#core/project/projects.ts'
import * as current from '../project/current.ts'
import { linkOf } from '../project/link.ts'
import { publicRoute, type Route, route } from '../route.ts'
import { LARGEST_DELIVERY } from './read-delivery.ts'

export interface HookRouteParts {
  readonly hooks: DeployHooks
  readonly projects: Pick<Projects, 'get' | 'deploymentsOf' | 'bypassOf'>
  /** `{base_url}`. */
  readonly site: string
}

const LATEST = 10

export function hookRoutes({ hooks, projects, site }: HookRouteParts): readonly Route[] {
  async function show(ctx: Context, project: Project) {
    const deployed = await projects.deploymentsOf(ctx, [project], LATEST)
    const bypass = projects.bypassOf(project)
    return current.project(project, deployed.get(project.id) ?? { latest: [] }, bypass, site)
  }

  return [
    route(api.createDeployHook, async (ctx, { params, body }) =>
      show(ctx, await hooks.create(ctx, params.idOrName, body)),
    ),
    route(api.listDeployHooks, async (ctx, { params }) => ({
      deployHooks: linkOf(await projects.get(ctx, params.idOrName), site).link?.deployHooks ?? [],
    })),
    route(api.deleteDeployHook, async (ctx, { params }) =>
      show(ctx, await hooks.remove(ctx, params.idOrName, params.id)),
    ),
    publicRoute(api.callDeployHook, async (_visit, { params, body }) => {
      // Whatever is sent along means nothing. Nobody who means well sends more than this.
      let left = LARGEST_DELIVERY
      body.on('data', (chunk: Buffer) => {
        left -= chunk.length
        if (left < 0) body.destroy()
      })
      const { id, createdAt } = await hooks.call(params.projectId, params.hookId)
      return { job: { id, state: 'PENDING', createdAt } }
    }),
  ]
}
