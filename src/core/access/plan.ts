import { AloftError } from '#contract/errors.ts'
import { PLANS, type Plan } from '#contract/limit/limits.ts'
import type { Owner } from './context.ts'

export const atLeast = (plan: Plan, least: Plan): boolean => PLANS.indexOf(plan) >= PLANS.indexOf(least)

/** Refuses accounts whose plan does not include a feature. `what` begins the sentence that tells them. */
export function requirePlan({ plan }: Pick<Owner, 'plan'>, least: Plan, what: string): void {
  if (!atLeast(plan, least))
    throw new AloftError('feature_not_available', `${what} are not included in the plan \`${plan}\`.`)
}
