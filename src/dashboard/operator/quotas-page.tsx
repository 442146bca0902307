import { useState } from 'react'
import { changePlanQuotas, listPlanQuotas } from '#contract/api/usage.ts'
import type { Plan } from '#contract/limits.ts'
import { showAmount } from '#contract/quota-amount.ts'
import { QUOTA_NAMES, quotaSpec } from '#contract/quotas.ts'
import { useAction, useRead } from '../api/query.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { Facts } from '../ui/facts.tsx'
import { Page } from '../ui/page.tsx'
import { type QuotaRequest, QuotasDialog } from './quotas-dialog.tsx'

export function QuotasPage() {
  const { plans } = useRead('operator', listPlanQuotas)
  const [editing, setEditing] = useState<Plan>()
  const save = useAction(
    ({ plan, request }: { plan: Plan; request: QuotaRequest }, { client }) =>
      client.call(changePlanQuotas, { params: { plan }, body: request }),
    { changes: ['operator'], done: () => 'The quotas are changed.' },
  )
  const edited = plans.find(({ plan }) => plan === editing)
  return (
    <Page
      title="Quotas"
      about="What an account on each plan may use. A single account can be given more or less on its own page."
    >
      <div className="grid gap-6 lg:grid-cols-2">
        {plans.map(({ plan, limits, changed }) => (
          <Card
            key={plan}
            title={plan}
            actions={
              <Button size="small" aria-label={`Change quotas of ${plan}`} onClick={() => setEditing(plan)}>
                Change
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
                      : `${showAmount(name, limit)}${per === undefined ? '' : ` a ${per}`}`}
                    {changed.includes(name) && <Badge tone="accent">Changed</Badge>}
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
          title={`Quotas of ${edited.plan}`}
          about={'What is empty is as it comes with Aloft. "none" is no limit.'}
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
