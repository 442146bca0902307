import * as api from '#contract/api/token.ts'
import { mapPage, PAGE_LIMIT } from '#contract/page.ts'
import type { Token } from '#core/token/token.ts'
import type { Tokens } from '#core/token/tokens.ts'
import { type Route, route } from '../route.ts'

const shown = (token: Token) => ({
  id: token.id,
  name: token.name,
  type: token.kind,
  createdAt: token.createdAt,
  activeAt: token.activeAt,
  ...(token.expiresAt === null ? {} : { expiresAt: token.expiresAt }),
})

export const tokenRoutes = (tokens: Tokens): readonly Route[] => [
  route(api.createToken, async (ctx, { body }) => {
    const { token, bearer } = await tokens.create(ctx, body)
    return { token: shown(token), bearerToken: bearer }
  }),
  route(api.listTokens, async (ctx, { query: { limit = PAGE_LIMIT.current, ...range } }) => {
    const page = await tokens.list(ctx, { limit, ...range })
    return { tokens: mapPage(page, shown), pagination: page.pagination }
  }),
  route(api.getToken, async (ctx, { params }) => ({ token: shown(await tokens.get(ctx, params.id)) })),
  route(api.deleteToken, async (ctx, { params }) => ({ tokenId: await tokens.revoke(ctx, params.id) })),
]
