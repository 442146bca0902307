import * as api from '#contract/api/secret.ts'
import { PAGE_LIMIT, type PageQuery } from '#contract/page.ts'
import type { Context } from '#core/access/context.ts'
import type { Secrets } from '#core/secret/secrets.ts'
import { type Route, route } from '../route.ts'
import * as current from './current.ts'
import * as earliest from './earliest.ts'

export function secretRoutes(secrets: Secrets): readonly Route[] {
  const list = async (ctx: Context, { query }: { readonly query: Partial<PageQuery> }) =>
    current.secrets(await secrets.list(ctx, { limit: PAGE_LIMIT.older, ...query }))

  return [
    route(api.listSecrets, list),
    route(api.createSecret, async (ctx, { body }) =>
      current.created(await secrets.create(ctx, body), body.value),
    ),
    route(api.renameSecret, async (ctx, { params, body }) =>
      current.renamed(await secrets.rename(ctx, params.name, body.name)),
    ),
    route(api.deleteSecret, async (ctx, { params }) =>
      current.secret(await secrets.delete(ctx, params.name)),
    ),
    route(api.earliest.listSecrets, list),
    route(api.earliest.createSecret, async (ctx, { body }) => earliest.uid(await secrets.create(ctx, body))),
    route(api.earliest.renameSecret, async (ctx, { params, body }) =>
      earliest.renamed(await secrets.rename(ctx, params.uidOrName, body.name)),
    ),
    route(api.earliest.deleteSecret, async (ctx, { params }) =>
      earliest.uid(await secrets.delete(ctx, params.uidOrName)),
    ),
  ]
}
