import { deleteFailedJob, listFailedJobs, listJobs, retryFailedJob, runJob } from '#contract/api/operator.ts'
import { useAction, useRead, useReadPages } from '../api/query.ts'
import { Button, IconButton } from '../ui/control/button.tsx'
import { ShowOlder } from '../ui/control/show-older.tsx'
import { Empty } from '../ui/feedback/empty.tsx'
import { Card } from '../ui/layout/card.tsx'
import { Page } from '../ui/layout/page.tsx'
import { Table } from '../ui/layout/table.tsx'
import { Time } from '../ui/text/time.tsx'
import { RefreshButton } from './refresh-button.tsx'

export function JobsPage() {
  const { jobs, queue } = useRead('operator', listJobs)
  const failed = useReadPages('operator', listFailedJobs, { query: { limit: 25 } }, (reply) => reply.jobs)
  const run = useAction((name: string, { client }) => client.call(runJob, { params: { name } }), {
    changes: ['operator'],
    done: (_job, name) => `${name} queued.`,
  })
  const retry = useAction((id: string, { client }) => client.call(retryFailedJob, { params: { id } }), {
    changes: ['operator'],
    done: 'Retry queued.',
  })
  const forget = useAction((id: string, { client }) => client.call(deleteFailedJob, { params: { id } }), {
    changes: ['operator'],
  })
  return (
    <Page
      title="Jobs"
      about={`${queue.queued} queued, ${queue.running} running, ${queue.failed} dead.`}
      actions={<RefreshButton />}
    >
      <Card
        title="Dead jobs"
        about="Jobs that failed every attempt. They aren't retried automatically."
        flush
      >
        {failed.rows.length === 0 ? (
          <Empty icon="check" title="No dead jobs" />
        ) : (
          <Table
            label="Dead jobs"
            rows={failed.rows}
            rowKey={({ id }) => id}
            columns={[
              {
                title: 'Job',
                cell: ({ name, error }) => (
                  <>
                    <span className="block font-medium">{name}</span>
                    <span className="text-xs wrap-anywhere text-bad">{error}</span>
                  </>
                ),
              },
              { title: 'Attempts', wide: true, align: 'right', cell: ({ attempts }) => attempts },
              { title: 'Failed', cell: ({ failedAt }) => <Time at={failedAt} /> },
            ]}
            actions={({ id, name }) => (
              <span className="inline-flex gap-1">
                <IconButton icon="refresh" label={`Retry ${name}`} onClick={() => retry.mutate(id)} />
                <IconButton icon="trash" label={`Delete ${name}`} onClick={() => forget.mutate(id)} />
              </span>
            )}
          />
        )}
        <ShowOlder pages={failed} />
      </Card>
      <Card title="Scheduled jobs" about="Run any of them now instead of waiting for its schedule." flush>
        <Table
          label="Scheduled jobs"
          rows={jobs}
          rowKey={({ name }) => name}
          columns={[
            {
              title: 'Job',
              cell: ({ name, summary }) => (
                <>
                  <code className="block font-medium">{name}</code>
                  <span className="text-soft">{summary}</span>
                </>
              ),
            },
          ]}
          actions={({ name }) => (
            <Button
              size="small"
              icon="play"
              aria-label={`Run ${name} now`}
              busy={run.isPending && run.variables === name}
              onClick={() => run.mutate(name)}
            >
              Run
            </Button>
          )}
        />
      </Card>
    </Page>
  )
}
