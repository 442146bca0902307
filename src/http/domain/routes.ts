import * as api from '#contract/api/domain.ts'
import { PAGE_LIMIT, type PageQuery } from '#contract/page.ts'
import type { Context } from '#core/access/context.ts'
import type { Domain } from '#core/domain/domain.ts'
import type { Domains, DomainView } from '#core/domain/domains.ts'
import { type Limits, rateLimited } from '../limits.ts'
import { type Route, route } from '../route.ts'
import * as current from './current.ts'
import * as earliest from './earliest.ts'
import * as legacy from './legacy.ts'

interface TransferRequest {
  readonly name: string | undefined
  readonly authCode: string | undefined
  readonly expectedPrice: number | undefined
}

type TransferIn = (ctx: Context, request: TransferRequest) => Promise<Domain>

interface Listing {
  readonly query: Partial<PageQuery>
}

interface NameParams {
  readonly params: { readonly name: string }
}

export function domainRoutes(domains: Domains, transferIn: TransferIn, limits: Limits): readonly Route[] {
  const older = (query: Partial<PageQuery>): PageQuery => ({ limit: PAGE_LIMIT.older, ...query })
  const removal =
    (withAliases: boolean) =>
    async (ctx: Context, { params }: NameParams) => ({
      uid: (await domains.delete(ctx, params.name, { withAliases })).id,
    })

  return [
    route(api.listDomains, async (ctx, { query }: Listing) =>
      current.domains(await domains.list(ctx, older(query))),
    ),
    route(api.addDomain, async (ctx, { body: { name, method, authCode, expectedPrice } }) => {
      if (method === 'transfer-in') {
        // Like a purchase, which it is.
        const allowance = await limits.takeFrom('purchase', ctx.owner.id)
        if (!allowance.allowed) throw rateLimited(allowance)
      }
      const added: DomainView =
        method === 'transfer-in'
          ? await domains.show(await transferIn(ctx, { name, authCode, expectedPrice }))
          : await domains.add(ctx, { name })
      return { domain: current.domain(added) }
    }),
    route(api.verifyDomain, async (ctx, { params }) =>
      current.single(await domains.verify(ctx, params.name)),
    ),
    route(api.getDomain, async (ctx, { params }) => current.single(await domains.get(ctx, params.name))),
    route(api.deleteDomain, removal(false)),
    route(api.inspectDomain, async (ctx, { params }) =>
      current.inspection(await domains.inspect(ctx, params.name)),
    ),

    route(api.legacy.listDomains, async (ctx, { query }: Listing) =>
      legacy.domains(await domains.listUsed(ctx, older(query))),
    ),
    route(api.legacy.addDomain, async (ctx, { body: { name, serviceType } }) =>
      legacy.added(await domains.add(ctx, { name, serviceWish: serviceType })),
    ),
    route(api.legacy.deleteDomain, removal(true)),

    route(api.earliest.listDomains, async (ctx, { query }: Listing) =>
      earliest.domains(await domains.listUsed(ctx, older(query))),
    ),
    route(api.earliest.addDomain, async (ctx, { body: { name, isExternal } }) =>
      legacy.added(await domains.add(ctx, { name, serviceWish: earliest.requestedService(isExternal) })),
    ),
    route(api.earliest.deleteDomain, removal(true)),
  ]
}
