import { readUsage } from '#contract/api/usage.ts'
import { useRead } from '../api/query.ts'
import { Badge } from '../ui/badge.tsx'
import { Card } from '../ui/card.tsx'
import { Page } from '../ui/page.tsx'
import { UsageBars } from './usage-bars.tsx'

export function UsagePage() {
  const { plan, quotas } = useRead('deployment', readUsage)
  return (
    <Page
      title="Usage"
      about="What this account uses of what its plan allows. Beyond that it gets no more; what runs keeps running."
    >
      <Card
        title={
          <span className="flex items-center gap-2">
            Plan <Badge>{plan}</Badge>
          </span>
        }
        about="Whoever operates this installation decides what a plan allows."
      >
        <UsageBars quotas={quotas} />
      </Card>
    </Page>
  )
}
