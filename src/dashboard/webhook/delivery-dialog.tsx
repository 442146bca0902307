import { getDelivery, redeliver } from '#contract/api/webhook.ts'
import { useAction, useLater } from '../api/query.ts'
import { Button } from '../ui/control/button.tsx'
import { Dialog } from '../ui/dialog/dialog.tsx'
import { Problem } from '../ui/feedback/problem.tsx'
import { Skeleton } from '../ui/feedback/skeleton.tsx'
import { CodeBlock } from '../ui/text/code-block.tsx'
import { Time } from '../ui/text/time.tsx'

const pretty = (body: string): string => {
  try {
    return JSON.stringify(JSON.parse(body), undefined, 2)
  } catch {
    return body
  }
}

/** One delivery: exactly what was sent, and every try. */
export function DeliveryDialog({
  webhookId,
  deliveryId,
  onClose,
}: {
  webhookId: string
  deliveryId: string
  onClose: () => void
}) {
  const params = { id: webhookId, deliveryId }
  const { data, error } = useLater('delivery', getDelivery, { params })
  const again = useAction((_input: undefined, { client }) => client.call(redeliver, { params }), {
    changes: ['delivery'],
    done: 'Redelivery queued with the same event ID.',
  })
  return (
    <Dialog
      wide
      title={data?.type ?? 'Delivery'}
      about={data && `Event ${data.eventId} to ${data.request.url}`}
      onClose={onClose}
    >
      {error !== null && <Problem error={error} />}
      {data === undefined ? (
        error === null && <Skeleton className="h-60" />
      ) : (
        <div className="space-y-4">
          <section>
            <h3 className="mb-1.5 text-sm font-medium">Attempts</h3>
            {data.attempts.length === 0 ? (
              <p className="text-sm text-soft">None yet.</p>
            ) : (
              <ol className="space-y-1.5 text-sm">
                {data.attempts.map(({ at, ms, status, answer }) => (
                  <li key={at} className="flex flex-wrap gap-x-3">
                    <span className="font-medium">{status ?? 'No response'}</span>
                    <span className="text-soft">
                      <Time at={at} />, {ms} ms
                    </span>
                    {answer !== '' && <code className="w-full text-xs break-all text-soft">{answer}</code>}
                  </li>
                ))}
              </ol>
            )}
          </section>
          <section>
            <h3 className="mb-1.5 text-sm font-medium">Request body</h3>
            <CodeBlock label="Request body">{pretty(data.request.body)}</CodeBlock>
          </section>
          <div className="flex justify-end">
            <Button
              look="primary"
              icon="refresh"
              busy={again.isPending}
              onClick={() => again.mutate(undefined)}
            >
              Redeliver
            </Button>
          </div>
        </div>
      )}
    </Dialog>
  )
}
