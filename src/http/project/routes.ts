import * as api from '#contract/api/project.ts'
import { mapPage, PAGE_LIMIT } from '#contract/page.ts'
import type { Context } from '#core/access/context.ts'
import type { Project } from '#core/project/project.ts'
import type { Projects } from '#core/project/projects.ts'
import { type Route, route } from '../route.ts'
import * as current from './current.ts'
import * as firstVersion from './first-version.ts'
import { readList, readSearch } from './read-list.ts'

/** How many of its deployments a project is shown with: alone, and among others. */
const LATEST = { alone: 10, listed: 3 } as const
const NOTHING = { latest: [] } as const

export function projectRoutes(projects: Projects, site: string): readonly Route[] {
  async function show(ctx: Context, project: Project) {
    const deployed = await projects.deploymentsOf(ctx, [project], LATEST.alone)
    return current.project(project, deployed.get(project.id) ?? NOTHING, projects.bypassOf(project), site)
  }

  async function remove(ctx: Context, idOrName: string): Promise<undefined> {
    await projects.remove(ctx, idOrName)
  }

  return [
    route(api.ensureProject, async (ctx, { body }) =>
      firstVersion.project(await projects.ensure(ctx, body.name)),
    ),
    route(api.listProjectsFirst, async (ctx, { query: { limit = PAGE_LIMIT.older, from, search } }) => {
      const page = { limit, ...(from === undefined ? {} : { until: from + 1 }) }
      return mapPage(await projects.list(ctx, page, readSearch(search)), firstVersion.project)
    }),
    route(api.getProjectFirst, async (ctx, { params }) =>
      firstVersion.project(await projects.get(ctx, params.idOrName)),
    ),
    route(api.deleteProjectFirst, (ctx, { params }) => remove(ctx, params.idOrName)),

    route(api.createProject, async (ctx, { body }) => {
      const { serverlessFunctionZeroConfigFailover: failover, environmentVariables, ...command } = body
      const variables = environmentVariables?.map((request) => ({ type: 'encrypted' as const, ...request }))
      // Clients send anything here; what counts is whether they mean yes.
      const meant = failover === undefined ? {} : { serverlessFunctionZeroConfigFailover: Boolean(failover) }
      return show(ctx, await projects.create(ctx, { ...command, ...meant }, variables))
    }),
    route(api.listProjects, async (ctx, { query }) => {
      const { page, filter } = readList(query)
      // No variable carries an edge configuration yet, so no project has one.
      if (query.edgeConfigId !== undefined || query.edgeConfigTokenId !== undefined)
        return { projects: [], pagination: { count: 0, next: null, prev: null } }
      const found = await projects.list(ctx, page, filter)
      const deployed = await projects.deploymentsOf(ctx, found.items, LATEST.listed)
      return {
        projects: mapPage(found, (project) =>
          current.project(project, deployed.get(project.id) ?? NOTHING, projects.bypassOf(project), site),
        ),
        pagination: found.pagination,
      }
    }),
    route(api.getProject, async (ctx, { params }) => show(ctx, await projects.get(ctx, params.idOrName))),
    route(api.updateProject, async (ctx, { params, body }) =>
      show(ctx, await projects.update(ctx, params.idOrName, body)),
    ),
    route(api.changeProtectionBypass, async (ctx, { params, body }) => ({
      protectionBypass: projects.bypassOf(await projects.changeBypass(ctx, params.idOrName, body)),
    })),
    route(api.deleteProject, (ctx, { params }) => remove(ctx, params.idOrName)),
    route(api.updateDataCache, async (ctx, { params, body }) =>
      show(ctx, await projects.switchDataCache(ctx, params.projectId, body.disabled)),
    ),
  ]
}
