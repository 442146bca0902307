import { useState } from 'react'
import { deleteDrain, listDrains } from '#contract/api/drain.ts'
import { useAction, useRead } from '../api/query.ts'
import { Badge } from '../ui/badge.tsx'
import { Button, IconButton } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { CopyLine } from '../ui/copy-button.tsx'
import { Empty } from '../ui/empty.tsx'
import { Page } from '../ui/page.tsx'
import { Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { NewDrainDialog } from './new-drain-dialog.tsx'

export function DrainsPage() {
  const drains = useRead('drain', listDrains)
  const [making, setMaking] = useState(false)
  const [leaving, setLeaving] = useState<(typeof drains)[number]>()
  const remove = useAction((id: string, { client }) => client.call(deleteDrain, { params: { id } }), {
    changes: ['drain'],
    done: 'The drain is removed.',
    after: () => setLeaving(undefined),
  })
  const make = (
    <Button look="primary" icon="plus" onClick={() => setMaking(true)}>
      New drain
    </Button>
  )
  return (
    <Page
      title="Log drains"
      about="Logs of your sites, sent on to where you keep the others, as they are written."
      actions={drains.length > 0 && make}
    >
      <Card flush>
        {drains.length === 0 ? (
          <Empty icon="drain" title="Logs stay here" action={make}>
            <p className="mb-3">Send them to your own collector: as JSON, as lines of JSON, or as syslog.</p>
            <CopyLine text="npx aloft drains add https://logs.example.com --name collector --format ndjson" />
          </Empty>
        ) : (
          <Table
            label="Log drains"
            rows={drains}
            rowKey={({ id }) => id}
            columns={[
              {
                title: 'Drain',
                cell: ({ name, url }) => (
                  <>
                    <span className="block font-medium">{name}</span>
                    <span className="break-all text-soft">{url}</span>
                  </>
                ),
              },
              { title: 'Format', wide: true, cell: ({ deliveryFormat }) => <Badge>{deliveryFormat}</Badge> },
              {
                title: 'What',
                wide: true,
                cell: ({ sources, environments, projectIds, samplingRate }) =>
                  [
                    sources?.join(', ') ?? 'every source',
                    environments?.join(', '),
                    projectIds && `${projectIds.length} projects`,
                    samplingRate !== undefined && samplingRate < 1 && `${samplingRate * 100} % of requests`,
                  ]
                    .filter(Boolean)
                    .join(' · '),
              },
              {
                title: 'State',
                cell: ({ status }) =>
                  status === 'enabled' ? (
                    <Badge tone="good">On</Badge>
                  ) : (
                    <span title="Nothing arrived for 24 hours. Mend the receiver, remove the drain and make it anew.">
                      <Badge tone="bad">Given up</Badge>
                    </span>
                  ),
              },
              { title: 'Made', wide: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
              {
                title: 'Actions',
                silent: true,
                align: 'right',
                cell: (drain) => (
                  <IconButton icon="trash" label={`Remove ${drain.name}`} onClick={() => setLeaving(drain)} />
                ),
              },
            ]}
          />
        )}
      </Card>
      {making && <NewDrainDialog onClose={() => setMaking(false)} />}
      {leaving && (
        <Confirm
          title={`Remove “${leaving.name}”?`}
          action="Remove the drain"
          busy={remove.isPending}
          onConfirm={() => remove.mutate(leaving.id)}
          onClose={() => setLeaving(undefined)}
        >
          <p>Entries that were not sent yet never will be. The logs themselves stay here.</p>
        </Confirm>
      )}
    </Page>
  )
}
