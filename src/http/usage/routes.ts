import * as api from '#contract/api/usage.ts'
import { AloftError } from '#contract/errors.ts'
import { PLANS, type Plan } from '#contract/limit/limits.ts'
import { quotaSpec, STORAGE_TITLES } from '#contract/limit/quotas.ts'
import type { Operators } from '#core/operator/operators.ts'
import type { QuotaSettings } from '#core/usage/quota-settings.ts'
import type { Account, Quotas, QuotaUse } from '#core/usage/quotas.ts'
import { type Route, route } from '../route.ts'

interface UsageParts {
  readonly quotas: Quotas
  readonly quotaSettings: QuotaSettings
  readonly operators: Pick<Operators, 'findAccount'>
}

const shownUse = ({ parts: storage, ...use }: QuotaUse) => {
  const { title, unit, per } = quotaSpec(use.name)
  const parts = storage?.map((part) => ({ ...part, title: STORAGE_TITLES[part.name] }))
  return { ...use, title, unit, ...(per === undefined ? {} : { per }), ...(parts && { parts }) }
}

const namesIn = <T extends object>(changes: T) => Object.keys(changes) as (keyof T)[]

export const usageRoutes = ({ quotas, quotaSettings, operators }: UsageParts): readonly Route[] => {
  const usageOf = async (account: Account) => ({
    plan: account.plan,
    quotas: (await quotas.list(account)).map(shownUse),
  })

  const plans = async () => ({
    plans: await Promise.all(
      PLANS.map(async (plan) => ({
        plan,
        limits: { ...(await quotaSettings.ofPlan(plan)) },
        changed: namesIn(await quotaSettings.ownOfPlan(plan)),
      })),
    ),
  })

  const accountUsage = async (account: Account) => ({
    ...(await usageOf(account)),
    changed: namesIn(await quotaSettings.ownOf(account.id)),
  })

  return [
    route(api.readUsage, ({ owner }) => usageOf(owner)),
    route(api.listPlanQuotas, plans),
    route(api.changePlanQuotas, async (_ctx, { params, body }) => {
      const plan = PLANS.find((known): known is Plan => known === params.plan)
      if (plan === undefined)
        throw new AloftError(
          'not_found',
          `There is no plan \`${params.plan.slice(0, 50)}\`. Available: ${PLANS.join(', ')}.`,
        )
      await quotaSettings.changePlan(plan, body)
      return plans()
    }),
    route(api.readAccountUsage, async (_ctx, { params }) =>
      accountUsage(await operators.findAccount(params.idOrEmailOrSlug)),
    ),
    route(api.changeAccountQuotas, async (_ctx, { params, body }) => {
      const account = await operators.findAccount(params.idOrEmailOrSlug)
      await quotaSettings.changeAccount(account.id, body)
      return accountUsage(account)
    }),
  ]
}
