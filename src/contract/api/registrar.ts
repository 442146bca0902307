import { Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { needs, PERSONAL } from '../scopes.ts'
import { Nullable } from './shared.ts'

const Name = Type.Optional(Type.String({ maxLength: 1024, description: 'The domain, in whatever script.' }))

const common = { gen: 'current', access: needs('domain') } as const

export const getDomainStatus = endpoint({
  ...common,
  on: 'GET /v4/domains/status',
  summary: 'Tell whether a domain can be bought',
  limit: 'read',
  query: Type.Object({ name: Name }),
  reply: Type.Object({ available: Type.Boolean() }),
})

export const getDomainPrice = endpoint({
  ...common,
  on: 'GET /v4/domains/price',
  summary: 'Tell what a domain costs',
  limit: 'read',
  query: Type.Object({
    name: Name,
    type: Type.Optional(
      Type.Enum(['new', 'renewal', 'transfer'], { description: 'What is paid for; `new` unless said.' }),
    ),
  }),
  reply: Type.Object({
    price: Type.Integer({ description: 'US dollars.' }),
    period: Type.Integer({ description: 'Years.' }),
  }),
})

export const buyDomain = endpoint({
  gen: 'current',
  access: PERSONAL,
  on: 'POST /v4/domains/buy',
  summary: 'Buy a domain for a year',
  limit: 'purchase',
  body: Type.Object({
    name: Name,
    expectedPrice: Type.Optional(
      Type.Number({ description: 'What it costs, as it was agreed; the current version requires it.' }),
    ),
  }),
  reply: 'empty',
})

export const getDomainRegistry = endpoint({
  ...common,
  on: 'GET /v4/domains/:name/registry',
  summary: 'Tell whether a domain can be transferred here, and how far its transfer is',
  limit: 'read',
  reply: Type.Object({
    transferable: Type.Boolean(),
    transferPolicy: Nullable(Type.String({ description: '`charge-and-renew` or `not-supported`.' })),
    reason: Type.String({ description: 'Why it cannot be transferred; empty when it can.' }),
    status: Type.String({
      description:
        '`pending_owner`, `pending_admin`, `pending_registry`, `completed`, `cancelled`, or `undef` when the account has begun no transfer.',
    }),
  }),
})

export const legacy = {
  getDomainStatus: endpoint({
    ...getDomainStatus,
    gen: 'legacy',
    on: 'GET /v2/domains/status',
    reply: Type.Object({ status: Type.Boolean() }),
  }),
  getDomainPrice: endpoint({ ...getDomainPrice, gen: 'legacy', on: 'GET /v2/domains/price' }),
  buyDomain: endpoint({ ...buyDomain, gen: 'legacy', on: 'POST /v2/domains/buy' }),
}
