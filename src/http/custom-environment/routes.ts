import * as api from '#contract/api/custom-environment.ts'
import type { CustomEnvironments, KnownEnvironment } from '#core/custom-environment/custom-environments.ts'
import { domain } from '../project-domain/current.ts'
import { type Route, route } from '../route.ts'

const shown = ({ environment, domains, aliases }: KnownEnvironment) => ({
  id: environment.id,
  slug: environment.slug,
  type: 'preview' as const,
  ...(environment.description === null ? {} : { description: environment.description }),
  ...(environment.branchMatcher === null ? {} : { branchMatcher: { ...environment.branchMatcher } }),
  domains: domains.map(domain),
  currentDeploymentAliases: [...aliases],
  createdAt: environment.createdAt,
  updatedAt: environment.updatedAt,
})

export const customEnvironmentRoutes = (environments: CustomEnvironments): readonly Route[] => [
  route(api.listEnvironments, async (ctx, { params, query }) => ({
    accountLimit: { total: api.MOST_ENVIRONMENTS },
    environments: (await environments.list(ctx, params.idOrName, query.gitBranch)).map(shown),
  })),
  route(api.createEnvironment, async (ctx, { params, body: { copyEnvVarsFrom: copyFrom, ...request } }) =>
    shown(await environments.create(ctx, params.idOrName, { ...request, copyFrom })),
  ),
  route(api.getEnvironment, async (ctx, { params }) =>
    shown(await environments.get(ctx, params.idOrName, params.environmentSlugOrId)),
  ),
  route(api.updateEnvironment, async (ctx, { params, body }) =>
    shown(await environments.update(ctx, params.idOrName, params.environmentSlugOrId, body)),
  ),
  route(api.deleteEnvironment, async (ctx, { params, body }) => {
    const options = { deletesVariables: body.deleteUnassignedEnvironmentVariables ?? false }
    return shown(await environments.remove(ctx, params.idOrName, params.environmentSlugOrId, options))
  }),
]
