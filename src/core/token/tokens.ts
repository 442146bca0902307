import { invalidRequest, noSuch } from '#contract/errors.ts'
import { newBearer, newId } from '#contract/ids.ts'
import type { Page, PageQuery } from '#contract/page.ts'
import type { Context } from '../access/context.ts'
import type { Clock } from '../ports/clock.ts'
import type { Transact } from '../ports/transact.ts'
import type { Quotas, UsageStores } from '../usage/quotas.ts'
import { ACTIVITY_STEP, hashBearer, isLive, type Token, type TokenKind } from './token.ts'
import type { Bearer, TokenStore } from './token-store.ts'

interface Issued {
  readonly token: Token
  readonly bearer: string
}

/** Makes a token and its value, inside the caller's transaction. The value exists only in the answer. */
export async function issueToken(
  tokens: TokenStore,
  details: {
    userId: string
    name: string
    kind: TokenKind
    now: number
    expiresAt?: number
    bearer?: string
    installationId?: string
  },
): Promise<Issued> {
  const bearer = details.bearer ?? newBearer()
  const token: Token = {
    id: newId.tokenId(),
    userId: details.userId,
    name: details.name,
    kind: details.kind,
    createdAt: details.now,
    activeAt: details.now,
    expiresAt: details.expiresAt ?? null,
    installationId: details.installationId ?? null,
  }
  await tokens.insert(token, hashBearer(bearer))
  return { token, bearer }
}

export interface Tokens {
  authenticate(bearer: string): Promise<Bearer | undefined>
  create(ctx: Context, command: { readonly name: string; readonly expiresAt?: number }): Promise<Issued>
  list(ctx: Context, page: PageQuery): Promise<Page<Token>>
  get(ctx: Context, id: string): Promise<Token>
  revoke(ctx: Context, id: string): Promise<string>
}

export function createTokens({
  store,
  transact,
  quotas,
  clock,
}: {
  readonly store: TokenStore
  readonly transact: Transact<UsageStores & { readonly tokens: TokenStore }>
  readonly quotas: Pick<Quotas, 'check'>
  readonly clock: Clock
}): Tokens {
  const idOf = (ctx: Context, id: string) => (id === 'current' ? ctx.actor.token.id : id)
  const missing = (id: string) => noSuch('token', id)

  return {
    async authenticate(bearer) {
      const found = await store.byHash(hashBearer(bearer))
      const now = clock.now()
      if (!found || !isLive(found.token, now)) return undefined
      if (now - found.token.activeAt >= ACTIVITY_STEP) await store.touch(found.token.id, now)
      return found
    },

    create(ctx, { name, expiresAt }) {
      const now = clock.now()
      if (expiresAt !== undefined && expiresAt <= now)
        throw invalidRequest('`expiresAt` should be in the future')
      return transact(async (stores) => {
        await quotas.check(ctx.actor.user, 'tokens', 1, stores)
        return issueToken(stores.tokens, {
          userId: ctx.actor.user.id,
          name,
          kind: 'account',
          now,
          ...(expiresAt === undefined ? {} : { expiresAt }),
        })
      })
    },

    list: (ctx, page) => store.list(ctx.actor.user.id, page),

    async get(ctx, id) {
      const token = await store.byId(ctx.actor.user.id, idOf(ctx, id))
      if (!token) throw missing(id)
      return token
    },

    revoke: (ctx, id) =>
      transact(async ({ tokens }) => {
        const tokenId = idOf(ctx, id)
        if (!(await tokens.delete(ctx.actor.user.id, tokenId))) throw missing(id)
        return tokenId
      }),
  }
}
