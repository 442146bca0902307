import * as api from '#contract/api/alias.ts'
import { mapPage, PAGE_LIMIT } from '#contract/page.ts'
import { iso } from '#contract/time.ts'
import type { Alias, AliasRow } from '#core/alias/alias.ts'
import type { Aliases } from '#core/alias/aliases.ts'
import { type Route, route } from '../route.ts'

const listItem = (a: AliasRow) => ({
  uid: a.id,
  alias: a.host,
  created: iso(a.createdAt),
  deployment: { id: a.deploymentId, url: a.deploymentHost },
  deploymentId: a.deploymentId,
  projectId: a.projectId,
  // Path aliases: no endpoint creates them.
  rules: [],
})

const brief = (a: Alias) => ({ uid: a.id, alias: a.host, created: iso(a.createdAt) })

const table = (aliases: Aliases, rows: Pick<typeof api, keyof typeof api.earliest>): readonly Route[] => [
  route(rows.listAliases, async (ctx, { query: { limit = PAGE_LIMIT.older, since, until, ...filter } }) => {
    const range = { ...(since === undefined ? {} : { since }), ...(until === undefined ? {} : { until }) }
    const page = await aliases.list(ctx, { limit, ...range }, filter)
    return { aliases: mapPage(page, listItem), pagination: page.pagination }
  }),
  route(rows.deleteAlias, async (ctx, { params }) => {
    await aliases.remove(ctx, params.id)
    return { status: 'SUCCESS' as const }
  }),
  route(rows.listDeploymentAliases, async (ctx, { params }) => ({
    aliases: (await aliases.ofDeployment(ctx, params.id)).map(brief),
  })),
  route(rows.assignAlias, async (ctx, { params, body }) => {
    const { alias, previous } = await aliases.assign(ctx, params.id, body.alias)
    return {
      uid: alias.id,
      created: iso(alias.createdAt),
      ...(previous === undefined ? {} : { oldId: previous }),
    }
  }),
]

export const aliasRoutes = (aliases: Aliases): readonly Route[] => [
  route(api.getAlias, async (ctx, { params }) => listItem(await aliases.get(ctx, params.id))),
  ...table(aliases, api),
  ...table(aliases, api.earliest as unknown as typeof api),
]
