import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { listWebhooks } from '#contract/api/webhook.ts'
import { useAccount } from '../api/account.tsx'
import { useRead } from '../api/query.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/control/button.tsx'
import { CopyLine } from '../ui/control/copy-button.tsx'
import { Empty } from '../ui/feedback/empty.tsx'
import { Card } from '../ui/layout/card.tsx'
import { Page } from '../ui/layout/page.tsx'
import { Table } from '../ui/layout/table.tsx'
import { Time } from '../ui/text/time.tsx'
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
      about="Signed HTTP requests to your URL when something happens in this account."
      actions={webhooks.length > 0 && make}
    >
      <Card flush>
        {webhooks.length === 0 ? (
          <Empty icon="webhook" title="No webhooks yet" action={make}>
            <p className="mb-3">
              Notify your chat, your monitoring or your own service about deployments as they happen.
            </p>
            <CopyLine text="aloft webhooks add https://example.com/aloft --event deployment.ready" />
          </Empty>
        ) : (
          <Table
            label="Webhooks"
            rows={webhooks}
            rowKey={({ id }) => id}
            columns={[
              {
                title: 'URL',
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
                cell: ({ events }) => events.length,
              },
              {
                title: 'Projects',
                wide: true,
                cell: ({ projectIds }) => (projectIds === undefined ? 'All' : projectIds.length),
              },
              {
                title: 'Status',
                cell: ({ disabledAt }) =>
                  disabledAt === undefined ? (
                    <Badge tone="good">Enabled</Badge>
                  ) : (
                    <Badge tone="bad">Disabled</Badge>
                  ),
              },
              { title: 'Created', wide: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
            ]}
          />
        )}
      </Card>
      {making && <WebhookDialog onClose={() => setMaking(false)} />}
    </Page>
  )
}
