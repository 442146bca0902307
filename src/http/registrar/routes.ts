import * as api from '#contract/api/registrar.ts'
import type { Context } from '#core/access/context.ts'
import type { PriceType } from '#core/ports/registrar.ts'
import type { Registrations } from '#core/registrar/registrations.ts'
import { type Route, route } from '../route.ts'

/** Years that are paid for at once. */
const PERIOD = 1

interface PriceQuery {
  readonly name?: string
  readonly type?: PriceType
}

interface BuyBody {
  readonly name?: string
  readonly expectedPrice?: number
}

export function registrarRoutes(registrations: Registrations): readonly Route[] {
  const price = async (ctx: Context, { query: { name, type } }: { readonly query: PriceQuery }) => ({
    price: await registrations.price(ctx, name, type ?? 'new'),
    period: PERIOD,
  })
  const buy =
    (priceRequired: boolean) =>
    async (ctx: Context, { body: { name, expectedPrice } }: { readonly body: BuyBody }) => {
      await registrations.buy(ctx, { name, expectedPrice }, { priceRequired })
      return undefined
    }

  return [
    route(api.getDomainStatus, async (ctx, { query }) => ({
      available: await registrations.isAvailable(ctx, query.name),
    })),
    route(api.getDomainPrice, price),
    route(api.buyDomain, buy(true)),
    route(api.getDomainRegistry, async (ctx, { params }) => {
      const { transferable, supported, reason, status } = await registrations.registry(ctx, params.name)
      const transferPolicy = supported ? 'charge-and-renew' : 'not-supported'
      return { transferable, transferPolicy, reason, status: status ?? 'undef' }
    }),

    route(api.legacy.getDomainStatus, async (ctx, { query }) => ({
      status: await registrations.isAvailable(ctx, query.name),
    })),
    route(api.legacy.getDomainPrice, price),
    route(api.legacy.buyDomain, buy(false)),
  ]
}
