import * as api from '#contract/api/project-domain.ts'
import { mapPage, PAGE_LIMIT } from '#contract/page.ts'
import type { ProjectDomains } from '#core/project-domain/project-domains.ts'
import { type Route, route } from '../route.ts'
import * as current from './current.ts'

export const projectDomainRoutes = (domains: ProjectDomains): readonly Route[] => [
  route(api.addProjectDomain, async (ctx, { params, body }) =>
    current.domain(await domains.add(ctx, params.idOrName, body)),
  ),
  route(api.addProjectDomainV9, async (ctx, { params, body }) =>
    current.domain(await domains.add(ctx, params.idOrName, body)),
  ),
  route(
    api.listProjectDomains,
    async (
      ctx,
      { params, query: { limit = PAGE_LIMIT.current, since, until, order = 'DESC', ...filter } },
    ) => {
      const range = {
        limit,
        ...(since === undefined ? {} : { since }),
        ...(until === undefined ? {} : { until }),
      }
      const page = await domains.list(ctx, params.idOrName, range, { order, ...filter })
      return { domains: mapPage(page, current.domain), pagination: page.pagination }
    },
  ),
  route(api.getProjectDomain, async (ctx, { params }) =>
    current.domain(await domains.get(ctx, params.idOrName, params.domain)),
  ),
  route(api.updateProjectDomain, async (ctx, { params, body }) =>
    current.domain(await domains.update(ctx, params.idOrName, params.domain, body)),
  ),
  route(api.removeProjectDomain, async (ctx, { params }) => {
    await domains.remove(ctx, params.idOrName, params.domain)
    return {}
  }),
  route(api.verifyProjectDomain, async (ctx, { params }) =>
    current.domain(await domains.verify(ctx, params.idOrName, params.domain)),
  ),
  route(api.inspectProjectDomain, async (ctx, { params }) =>
    current.inspection(await domains.inspect(ctx, params.idOrName, params.domain)),
  ),
]
