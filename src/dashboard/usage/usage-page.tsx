import { readUsage } from '#contract/api/usage.ts'
import { useRead } from '../api/query.ts'
import { Badge } from '../ui/badge.tsx'
import { Card } from '../ui/layout/card.tsx'
import { Page } from '../ui/layout/page.tsx'
import { UsageBars } from './usage-bars.tsx'

export function UsagePage() {
  const { plan, quotas } = useRead('deployment', readUsage)
  return (
    <Page
      title="Usage"
      about="Usage compared to your plan's limits. At a limit you can't add more; everything that runs keeps running."
    >
      <Card
        title={
          <span className="flex items-center gap-2">
            Plan <Badge>{plan}</Badge>
          </span>
        }
        about="Limits are set by the operator of this installation."
      >
        <UsageBars quotas={quotas} />
      </Card>
    </Page>
  )
}
