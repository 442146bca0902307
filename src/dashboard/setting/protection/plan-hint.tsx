import { readUsage } from '#contract/api/usage.ts'
import { PLANS, type Plan } from '#contract/limit/limits.ts'
import { useLater } from '../../api/query.ts'

/** Says which plan something needs, to those who are on a lesser one; others need not know. */
export function PlanHint({ plan, what }: { plan: Plan; what: string }) {
  const { data } = useLater('deployment', readUsage)
  if (data === undefined || PLANS.indexOf(data.plan) >= PLANS.indexOf(plan)) return null
  return (
    <span className="text-warn">
      {what} requires the {plan} plan. This account is on the {data.plan} plan; ask your operator to change
      it.
    </span>
  )
}
