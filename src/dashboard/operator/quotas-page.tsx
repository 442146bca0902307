import { useState } from 'react'
import { changePlanQuotas, listPlanQuotas } from '#contract/api/usage.ts'
import type { Plan } from '#contract/limit/limits.ts'
import { showAmount } from '#contract/limit/quota-amount.ts'
import { QUOTA_NAMES, quotaSpec } from '#contract/limit/quotas.ts'
import { useAction, useRead } from '../api/query.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/control/button.tsx'
import { Card } from '../ui/layout/card.tsx'
import { Facts } from '../ui/layout/facts.tsx'
import { Page } from '../ui/layout/page.tsx'
import { type QuotaRequest, QuotasDialog } from './quotas-dialog.tsx'

export function QuotasPage() {
  const { plans } = useRead('operator', listPlanQuotas)
  const [editing, setEditing] = useState<Plan>()
  const save = useAction(
    ({ plan, request }: { plan: Plan; request: QuotaRequest }, { client }) =>
      client.call(changePlanQuotas, { params: { plan }, body: request }),
    { changes: ['operator'], done: () => 'Quotas updated.' },
  )
  const edited = plans.find(({ plan }) => plan === editing)
  return (
    <Page
      title="Quotas"
      about="Limits for each plan. You can override them for a single account on its page."
    >
      <div className="grid gap-6 lg:grid-cols-2">
        {plans.map(({ plan, limits, changed }) => (
          <Card
            key={plan}
            title={plan}
            actions={
              <Button size="small" aria-label={`Edit quotas of ${plan}`} onClick={() => setEditing(plan)}>
                Edit
              </Button>
            }
          >
            <Facts
              facts={QUOTA_NAMES.map((name) => {
                const { title, per } = quotaSpec(name)
                const limit = limits[name]
                return [
                  title,
                  <span key={name} className="flex flex-wrap items-center gap-2">
                    {limit === null
                      ? 'No limit'
                      : `${showAmount(name, limit)}${per === undefined ? '' : ` per ${per}`}`}
                    {changed.includes(name) && <Badge tone="accent">Customized</Badge>}
                  </span>,
                ] as const
              })}
            />
          </Card>
        ))}
      </div>
      {edited && (
        <QuotasDialog
          key={edited.plan}
          title={`Quotas for the ${edited.plan} plan`}
          about={'Leave a field empty to use the default. Enter "none" for no limit.'}
          limits={edited.limits}
          changed={edited.changed}
          busy={save.isPending}
          onClose={() => setEditing(undefined)}
          onSave={(request) =>
            save.mutate({ plan: edited.plan, request }, { onSuccess: () => setEditing(undefined) })
          }
        />
      )}
    </Page>
  )
}
