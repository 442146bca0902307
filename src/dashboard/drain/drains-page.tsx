import { useState } from 'react'
import { deleteDrain, listDrains } from '#contract/api/drain.ts'
import { count } from '#contract/words/wording.ts'
import { useAction, useRead } from '../api/query.ts'
import { Badge } from '../ui/badge.tsx'
import { Button, IconButton } from '../ui/control/button.tsx'
import { CopyLine } from '../ui/control/copy-button.tsx'
import { Confirm } from '../ui/dialog/confirm.tsx'
import { Empty } from '../ui/feedback/empty.tsx'
import { Card } from '../ui/layout/card.tsx'
import { Page } from '../ui/layout/page.tsx'
import { Table } from '../ui/layout/table.tsx'
import { formatNumber } from '../ui/text/format.ts'
import { Time } from '../ui/text/time.tsx'
import { NewDrainDialog } from './new-drain-dialog.tsx'

export function DrainsPage() {
  const drains = useRead('drain', listDrains)
  const [making, setMaking] = useState(false)
  const [leaving, setLeaving] = useState<(typeof drains)[number]>()
  const remove = useAction((id: string, { client }) => client.call(deleteDrain, { params: { id } }), {
    changes: ['drain'],
    done: 'Log drain removed.',
    after: () => setLeaving(undefined),
  })
  const make = (
    <Button look="primary" icon="plus" onClick={() => setMaking(true)}>
      New log drain
    </Button>
  )
  return (
    <Page
      title="Log drains"
      about="Forward your logs to another service as they are written."
      actions={drains.length > 0 && make}
    >
      <Card flush>
        {drains.length === 0 ? (
          <Empty icon="drain" title="No log drains yet" action={make}>
            <p className="mb-3">Send logs to your own collector as JSON, NDJSON or syslog.</p>
            <CopyLine text="aloft drains add https://logs.example.com --name collector --format ndjson" />
          </Empty>
        ) : (
          <Table
            label="Log drains"
            rows={drains}
            rowKey={({ id }) => id}
            columns={[
              {
                title: 'Log drain',
                cell: ({ name, url }) => (
                  <>
                    <span className="block font-medium">{name}</span>
                    <span className="break-all text-soft">{url}</span>
                  </>
                ),
              },
              { title: 'Format', wide: true, cell: ({ deliveryFormat }) => <Badge>{deliveryFormat}</Badge> },
              {
                title: 'Filter',
                wide: true,
                cell: ({ sources, environments, projectIds, samplingRate }) =>
                  [
                    sources?.join(', ') ?? 'All sources',
                    environments?.join(', '),
                    projectIds && count(projectIds.length, 'project'),
                    samplingRate !== undefined &&
                      samplingRate < 1 &&
                      `${formatNumber(samplingRate * 100)}% of requests`,
                  ]
                    .filter(Boolean)
                    .join(' · '),
              },
              {
                title: 'Status',
                cell: ({ status }) =>
                  status === 'enabled' ? (
                    <Badge tone="good">Enabled</Badge>
                  ) : (
                    <span title="Every delivery failed for 24 hours. Fix the receiver, then remove this log drain and create it again.">
                      <Badge tone="bad">Disabled</Badge>
                    </span>
                  ),
              },
              { title: 'Created', wide: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
            ]}
            actions={(drain) => (
              <IconButton icon="trash" label={`Remove ${drain.name}`} onClick={() => setLeaving(drain)} />
            )}
          />
        )}
      </Card>
      {making && <NewDrainDialog onClose={() => setMaking(false)} />}
      {leaving && (
        <Confirm
          title={`Remove “${leaving.name}”?`}
          action="Remove log drain"
          busy={remove.isPending}
          onConfirm={() => remove.mutate(leaving.id)}
          onClose={() => setLeaving(undefined)}
        >
          <p>Entries that haven't been sent yet are dropped. Your logs in Aloft are not affected.</p>
        </Confirm>
      )}
    </Page>
  )
}
