import { PLANS, type Plan } from '#contract/limits.ts'
import { useAccount, useAccounts } from '../api/account.tsx'

/** Says that something is part of a plan, and more plainly so to who is known to have less. */
export function PlanHint({ plan, what }: { plan: Plan; what: string }) {
  const { kind } = useAccount()
  const { user } = useAccounts()
  // The plan of a team is not told to its members.
  const lacks = kind === 'user' && PLANS.indexOf(user.plan) < PLANS.indexOf(plan)
  return lacks ? (
    <span className="text-warn">
      {what} is part of the plan {plan}, and yours is {user.plan}. Whoever operates this installation can
      change that.
    </span>
  ) : (
    <span>
      {what} is part of the plan {plan}.
    </span>
  )
}
