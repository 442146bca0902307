import { type Static, Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { PLANS } from '../limit/limits.ts'
import { QUOTA_NAMES, QUOTAS, type QuotaName, STORAGE_PARTS } from '../limit/quotas.ts'
import { OPERATOR, PERSONAL } from '../scopes.ts'
import { Nullable, Time } from './shared.ts'

const Use = Type.Object({
  name: Type.Enum([...QUOTA_NAMES]),
  title: Type.String(),
  unit: Type.Enum(['count', 'bytes', 'megabytes', 'minutes'] as const),
  used: Type.Number(),
  limit: Nullable(Type.Number({ description: 'Null: no limit.' })),
  per: Type.Optional(Type.Enum(['day', 'month'] as const)),
  reset: Type.Optional(Time),
  parts: Type.Optional(
    Type.Array(
      Type.Object({ name: Type.Enum([...STORAGE_PARTS]), title: Type.String(), used: Type.Number() }),
      { description: 'What `used` is the sum of, for storage.' },
    ),
  ),
})

export const Usage = Type.Object({ plan: Type.Enum(PLANS), quotas: Type.Array(Use) })
export type UsageReply = Static<typeof Usage>
export type QuotaUse = Static<typeof Use>

/** The largest whole number that every client reads as it is. */
const Limit = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

const forEachQuota = <T>(make: (name: QuotaName) => T): Record<QuotaName, T> =>
  Object.fromEntries(QUOTA_NAMES.map((name) => [name, make(name)])) as Record<QuotaName, T>

const Limits = Type.Object(
  forEachQuota((name) => Nullable(Type.Integer({ description: QUOTAS[name].title }))),
)

/** `null`: no limit. `default`: what it would be without this. */
export const QuotaChange = Type.Object(
  forEachQuota(() => Type.Optional(Type.Union([Limit, Type.Null(), Type.Literal('default')]))),
  { additionalProperties: false, minProperties: 1 },
)

export const readUsage = endpoint({
  on: 'GET /v1/usage',
  summary: 'Get the usage and quotas of the account',
  access: PERSONAL,
  teamBySlug: true,
  reply: Usage,
})

const Plans = Type.Object({
  plans: Type.Array(
    Type.Object({
      plan: Type.Enum(PLANS),
      limits: Limits,
      changed: Type.Array(Type.Enum([...QUOTA_NAMES]), {
        description: 'Quotas that an operator has set.',
      }),
    }),
  ),
})

export const listPlanQuotas = endpoint({
  on: 'GET /v1/operator/quotas',
  summary: 'List the quotas of each plan',
  access: OPERATOR,
  reply: Plans,
})

export const changePlanQuotas = endpoint({
  on: 'PATCH /v1/operator/quotas/:plan',
  summary: 'Change the quotas of a plan: a number, `null` for no limit, or `"default"`',
  access: OPERATOR,
  body: QuotaChange,
  reply: Plans,
})

const AccountUsage = Type.Object({
  ...Usage.properties,
  changed: Type.Array(Type.Enum([...QUOTA_NAMES]), {
    description: 'Quotas that an operator has set for this account.',
  }),
})

export const readAccountUsage = endpoint({
  on: 'GET /v1/operator/accounts/:idOrEmailOrSlug/usage',
  summary: 'Get the usage and quotas of an account',
  access: OPERATOR,
  reply: AccountUsage,
})

export const changeAccountQuotas = endpoint({
  on: 'PATCH /v1/operator/accounts/:idOrEmailOrSlug/quotas',
  summary: 'Change the quotas of an account: a number, `null` for no limit, or `"default"`',
  access: OPERATOR,
  body: QuotaChange,
  reply: AccountUsage,
})
