import { Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { needs, PERSONAL } from '../scopes.ts'
import { Nullable } from './shared.ts'

const Name = Type.Optional(
  Type.String({ maxLength: 1024, description: 'The domain, in Unicode or punycode.' }),
)

export const getDomainStatus = endpoint({
  access: needs('domain'),
  on: 'GET /v4/domains/status',
  summary: 'Check whether a domain is available',
  query: Type.Object({ name: Name }),
  reply: Type.Object({ available: Type.Boolean() }),
})

export const getDomainPrice = endpoint({
  access: needs('domain'),
  on: 'GET /v4/domains/price',
  summary: 'Get the price of a domain',
  query: Type.Object({
    name: Name,
    type: Type.Optional(
      Type.Enum(['new', 'renewal', 'transfer'], { description: 'What to pay for; defaults to `new`.' }),
    ),
  }),
  reply: Type.Object({
    price: Type.Integer({ description: 'US dollars.' }),
    period: Type.Integer({ description: 'Years.' }),
  }),
})

export const buyDomain = endpoint({
  access: PERSONAL,
  on: 'POST /v4/domains/buy',
  summary: 'Buy a domain for a year',
  limit: 'purchase',
  body: Type.Object({
    name: Name,
    expectedPrice: Type.Optional(
      Type.Number({ description: 'The confirmed price; required by the current version.' }),
    ),
  }),
  reply: 'empty',
})

export const getDomainRegistry = endpoint({
  access: needs('domain'),
  on: 'GET /v4/domains/:name/registry',
  summary: 'Get whether a domain can be transferred in, and the status of its transfer',
  reply: Type.Object({
    transferable: Type.Boolean(),
    transferPolicy: Nullable(Type.String({ description: '`charge-and-renew` or `not-supported`.' })),
    reason: Type.String({ description: 'Why it cannot be transferred; empty if it can.' }),
    status: Type.String({
      description:
        '`pending_owner`, `pending_admin`, `pending_registry`, `completed`, `cancelled`, or `undef` if the account has not started a transfer.',
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
