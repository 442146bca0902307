import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { listWebhooks } from '#contract/api/webhook.ts'
import { useAccount } from '../api/account.tsx'
import { useRead } from '../api/query.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { CopyLine } from '../ui/copy-button.tsx'
import { Empty } from '../ui/empty.tsx'
import { Page } from '../ui/page.tsx'
import { Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { WebhookDialog } from './webhook-dialog.tsx'

export function WebhooksPage() {
  const { slug } = useAccount()
  const webhooks = useRead('webhook', listWebhooks)
  const [making, setMaking] = useState(false)
  const make = (
    <Button look="primary" icon="plus" onClick={() => setMaking(true)}>
      New webhook
    </Button>
  )
  return (
    <Page
      title="Webhooks"
      about="Signed requests to an address of yours when something happens here."
      actions={webhooks.length > 0 && make}
    >
      <Card flush>
        {webhooks.length === 0 ? (
          <Empty icon="webhook" title="Nobody is told yet" action={make}>
            <p className="mb-3">
              Have your chat, your monitoring or your own program hear of deployments as they happen.
            </p>
            <CopyLine text="npx aloft webhooks add https://example.com/aloft --event deployment.ready" />
          </Empty>
        ) : (
          <Table
            label="Webhooks"
            rows={webhooks}
            rowKey={({ id }) => id}
            columns={[
              {
                title: 'Address',
                cell: ({ id, url }) => (
                  <Link
                    to="/a/$account/webhooks/$id"
                    params={{ account: slug, id }}
                    className="font-medium break-all hover:underline"
                  >
                    {url}
                  </Link>
                ),
              },
              {
                title: 'Events',
                wide: true,
                cell: ({ events }) => `${events.length} ${events.length === 1 ? 'kind' : 'kinds'}`,
              },
              {
                title: 'Projects',
                wide: true,
                cell: ({ projectIds }) => (projectIds === undefined ? 'All' : projectIds.length),
              },
              {
                title: 'State',
                cell: ({ disabledAt }) =>
                  disabledAt === undefined ? (
                    <Badge tone="good">On</Badge>
                  ) : (
                    <Badge tone="bad">Given up</Badge>
                  ),
              },
              { title: 'Made', wide: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
            ]}
          />
        )}
      </Card>
      {making && <WebhookDialog onClose={() => setMaking(false)} />}
    </Page>
  )
}
