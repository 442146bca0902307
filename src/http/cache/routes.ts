import * as api from '#contract/api/cache.ts'
import type { Purges } from '#core/cache/purges.ts'
import { type Route, route } from '../route.ts'

const listOf = (tags: string | readonly string[]): readonly string[] =>
  typeof tags === 'string'
    ? tags
        .split(',')
        .map((tag) => tag.trim())
        .filter((tag) => tag !== '')
    : tags

export const cacheRoutes = ({ purge }: Purges): readonly Route[] => [
  route(api.purgeCache, async (ctx, { params, body }) => ({
    deployments: await purge(ctx, params.idOrName, body),
  })),
  route(api.purgeDataCache, async (ctx, { query }) => ({
    deployments: await purge(ctx, query.projectIdOrName, { all: true }),
  })),
  route(api.purgeEdgeCache, async (ctx, { query }) => ({
    deployments: await purge(ctx, query.projectIdOrName, { all: true }),
  })),
  route(api.invalidateByTags, async (ctx, { query, body }) => ({
    deployments: await purge(ctx, query.projectIdOrName, { tags: listOf(body.tags), soft: true }),
  })),
  route(api.deleteByTags, async (ctx, { query, body }) => ({
    deployments: await purge(ctx, query.projectIdOrName, { tags: listOf(body.tags) }),
  })),
]
