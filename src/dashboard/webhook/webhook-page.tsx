import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { deleteWebhook, getWebhook, updateWebhook } from '#contract/api/webhook.ts'
import { useAccount, useParam } from '../api/account.tsx'
import { useAction, useRead } from '../api/query.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/control/button.tsx'
import { Confirm } from '../ui/dialog/confirm.tsx'
import { Card } from '../ui/layout/card.tsx'
import { Facts } from '../ui/layout/facts.tsx'
import { Page } from '../ui/layout/page.tsx'
import { Time } from '../ui/text/time.tsx'
import { Deliveries } from './deliveries.tsx'
import { WebhookDialog } from './webhook-dialog.tsx'

export function WebhookPage() {
  const { slug } = useAccount()
  const id = useParam('id')
  const navigate = useNavigate()
  const webhook = useRead('webhook', getWebhook, { params: { id } })
  const [changing, setChanging] = useState(false)
  const [leaving, setLeaving] = useState(false)
  const enable = useAction(
    (_input: undefined, { client }) =>
      client.call(updateWebhook, { params: { id }, body: { enabled: true } }),
    { changes: ['webhook'], done: 'Webhook enabled.' },
  )
  const remove = useAction(
    (_input: undefined, { client }) => client.call(deleteWebhook, { params: { id } }),
    {
      changes: [],
      done: 'Webhook removed.',
      after: () => void navigate({ to: '/a/$account/webhooks', params: { account: slug } }),
    },
  )

  return (
    <Page
      title={`Webhook ${webhook.url}`}
      heading={<span className="break-all">{webhook.url}</span>}
      back={{ label: 'Webhooks', to: '/a/$account/webhooks', params: { account: slug } }}
      actions={
        <>
          {webhook.disabledAt !== undefined && (
            <Button look="primary" busy={enable.isPending} onClick={() => enable.mutate(undefined)}>
              Enable
            </Button>
          )}
          <Button onClick={() => setChanging(true)}>Edit</Button>
          <Button look="danger" onClick={() => setLeaving(true)}>
            Remove
          </Button>
        </>
      }
    >
      {webhook.disabledAt !== undefined && (
        <p role="status" className="rounded-xl bg-bad-soft px-4 py-3 text-sm text-bad">
          This webhook was disabled <Time at={webhook.disabledAt} /> because deliveries kept failing for days.
          Fix its URL or the receiver, then enable it again.
        </p>
      )}
      <Card title="Details">
        <Facts
          facts={[
            [
              'Events',
              <span key="events" className="flex flex-wrap gap-1.5">
                {webhook.events.map((event) => (
                  <Badge key={event}>{event}</Badge>
                ))}
              </span>,
            ],
            ['Projects', webhook.projectIds === undefined ? 'All projects' : webhook.projectIds.join(', ')],
            ['Created', <Time key="made" at={webhook.createdAt} />],
          ]}
        />
      </Card>
      <Deliveries webhookId={id} />
      {changing && <WebhookDialog webhook={webhook} onClose={() => setChanging(false)} />}
      {leaving && (
        <Confirm
          title="Remove this webhook?"
          action="Remove webhook"
          busy={remove.isPending}
          onConfirm={() => remove.mutate(undefined)}
          onClose={() => setLeaving(false)}
        >
          <p>Pending deliveries are dropped and its delivery log is deleted.</p>
        </Confirm>
      )}
    </Page>
  )
}
