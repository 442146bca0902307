import * as api from '#contract/api/project-production.ts'
import { mapPage, PAGE_LIMIT } from '#contract/page.ts'
import type { Production } from '#core/project/production.ts'
import { type Route, route } from '../route.ts'

const nothing = () => ({})

export const productionRoutes = (production: Production): readonly Route[] => [
  route(api.pauseProject, (ctx, { params }) => production.pause(ctx, params.projectId).then(nothing)),
  route(api.unpauseProject, (ctx, { params }) => production.unpause(ctx, params.projectId).then(nothing)),
  route(api.promoteDeployment, (ctx, { params }) =>
    production.promote(ctx, params.projectId, params.deploymentId).then(nothing),
  ),
  route(api.rollBackProject, (ctx, { params }) =>
    production.rollBack(ctx, params.projectId, params.deploymentId).then(nothing),
  ),
  route(
    api.listMovedAliases,
    async (ctx, { params, query: { limit = PAGE_LIMIT.current, failedOnly = false, ...range } }) => {
      const page = await production.moved(ctx, params.projectId, { limit, ...range }, { failedOnly })
      return {
        aliases: mapPage(page, ({ status, alias, id }) => ({ status, alias, id })),
        pagination: page.pagination,
      }
    },
  ),
]
