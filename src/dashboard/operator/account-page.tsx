import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { getAccount } from '#contract/api/operator.ts'
import { changeAccountQuotas, readAccountUsage } from '#contract/api/usage.ts'
import type { QuotaLimits } from '#contract/limit/quotas.ts'
import { useAction, useRead } from '../api/query.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/control/button.tsx'
import { Card } from '../ui/layout/card.tsx'
import { Page } from '../ui/layout/page.tsx'
import { UsageBars } from '../usage/usage-bars.tsx'
import { type QuotaRequest, QuotasDialog } from './quotas-dialog.tsx'

const route = getRouteApi('/operator/accounts/$id')

/** What one account uses, and what it alone may. */
export function AccountPage() {
  const { id } = route.useParams()
  const params = { idOrEmailOrSlug: id }
  const account = useRead('operator', getAccount, { params })
  const { plan, quotas, changed } = useRead('operator', readAccountUsage, { params })
  const [editing, setEditing] = useState(false)
  const save = useAction(
    (body: QuotaRequest, { client }) => client.call(changeAccountQuotas, { params, body }),
    { changes: ['operator'], done: () => `Quotas of ${account.slug} updated.` },
  )
  const limits = Object.fromEntries(quotas.map(({ name, limit }) => [name, limit])) as QuotaLimits
  return (
    <Page title={account.slug} about={account.email ?? 'Team'}>
      <Card
        title={
          <span className="flex items-center gap-2">
            Usage <Badge>{plan}</Badge>
          </span>
        }
        about="Usage compared to the account's limits."
        actions={<Button onClick={() => setEditing(true)}>Edit quotas</Button>}
      >
        <UsageBars quotas={quotas} changed={changed} />
      </Card>
      {editing && (
        <QuotasDialog
          title={`Quotas for ${account.slug}`}
          about={`Leave a field empty to use the limit of the ${plan} plan. Enter "none" for no limit.`}
          limits={limits}
          changed={changed}
          busy={save.isPending}
          onClose={() => setEditing(false)}
          onSave={(request) => save.mutate(request, { onSuccess: () => setEditing(false) })}
        />
      )}
    </Page>
  )
}
