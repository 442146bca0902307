import { useState } from 'react'
import { showDuration } from '#contract/amounts.ts'
import { listDeliveries } from '#contract/api/webhook.ts'
import { useReadPages } from '../api/query.ts'
import { StateOf, type States } from '../ui/badge.tsx'
import { Button } from '../ui/control/button.tsx'
import { ShowOlder } from '../ui/control/show-older.tsx'
import { Empty } from '../ui/feedback/empty.tsx'
import { Card } from '../ui/layout/card.tsx'
import { Table } from '../ui/layout/table.tsx'
import { Time } from '../ui/text/time.tsx'
import { DeliveryDialog } from './delivery-dialog.tsx'

const STATES: States = {
  waiting: { tone: 'accent', says: 'Waiting' },
  delivered: { tone: 'good', says: 'Delivered' },
  failed: { tone: 'bad', says: 'Failed' },
}

/** Request body to a webhook, and what came of it. */
export function Deliveries({ webhookId }: { webhookId: string }) {
  const pages = useReadPages(
    'delivery',
    listDeliveries,
    { params: { id: webhookId }, query: { limit: 25 } },
    ({ deliveries }) => deliveries,
  )
  const [open, setOpen] = useState<string>()
  return (
    <Card title="Deliveries" about="The last 30 days, newest first." flush>
      {pages.rows.length === 0 ? (
        <Empty icon="clock" title="No deliveries yet">
          The next matching event will appear here.
        </Empty>
      ) : (
        <Table
          label="Deliveries"
          rows={pages.rows}
          rowKey={({ id }) => id}
          columns={[
            {
              title: 'Event',
              cell: ({ type, createdAt }) => (
                <>
                  <span className="font-medium">{type}</span>
                  <span className="block text-soft md:hidden">
                    <Time at={createdAt} />
                  </span>
                </>
              ),
            },
            {
              title: 'Status',
              cell: ({ state }) => <StateOf states={STATES} state={state} />,
            },
            {
              title: 'Last response',
              wide: true,
              cell: ({ attempts }) => {
                const last = attempts.at(-1)
                return last === undefined
                  ? '–'
                  : last.status === null || last.status === undefined
                    ? `No response (${last.ms} ms)`
                    : `${last.status} in ${showDuration(last.ms)}`
              },
            },
            { title: 'Attempts', wide: true, align: 'right', cell: ({ attempts }) => attempts.length },
            { title: 'When', wide: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
          ]}
          actions={({ id, type }) => (
            <Button size="small" aria-label={`View delivery of ${type}`} onClick={() => setOpen(id)}>
              View
            </Button>
          )}
        />
      )}
      <ShowOlder pages={pages} />
      {open !== undefined && (
        <DeliveryDialog webhookId={webhookId} deliveryId={open} onClose={() => setOpen(undefined)} />
      )}
    </Card>
  )
}
