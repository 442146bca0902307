import { deleteFailedJob, listFailedJobs, listJobs, retryFailedJob, runJob } from '#contract/api/operator.ts'
import { useAction, useRead, useReadPages } from '../api/query.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { Empty } from '../ui/empty.tsx'
import { Page } from '../ui/page.tsx'
import { ShowOlder } from '../ui/show-older.tsx'
import { Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { RefreshButton } from './refresh-button.tsx'

export function JobsPage() {
  const { jobs, queue } = useRead('operator', listJobs)
  const failed = useReadPages('operator', listFailedJobs, { query: { limit: 25 } }, (reply) => reply.jobs)
  const run = useAction((name: string, { client }) => client.call(runJob, { params: { name } }), {
    changes: ['operator'],
    done: (_job, name) => `${name} is in the queue.`,
  })
  const retry = useAction((id: string, { client }) => client.call(retryFailedJob, { params: { id } }), {
    changes: ['operator'],
    done: 'It is tried again.',
  })
  const forget = useAction((id: string, { client }) => client.call(deleteFailedJob, { params: { id } }), {
    changes: ['operator'],
  })
  return (
    <Page
      title="Jobs"
      about={`${queue.queued} wait, ${queue.running} run, ${queue.failed} failed for good.`}
      actions={<RefreshButton />}
    >
      <Card
        title="Failed for good"
        about="They were tried several times and are not tried again by themselves."
        flush
      >
        {failed.rows.length === 0 ? (
          <Empty icon="check" title="None" />
        ) : (
          <Table
            label="Failed jobs"
            rows={failed.rows}
            rowKey={({ id }) => id}
            columns={[
              {
                title: 'Job',
                cell: ({ name, error }) => (
                  <>
                    <span className="block font-medium">{name}</span>
                    <span className="text-xs break-words text-bad">{error}</span>
                  </>
                ),
              },
              { title: 'Tries', wide: true, align: 'right', cell: ({ attempts }) => attempts },
              { title: 'Failed', cell: ({ failedAt }) => <Time at={failedAt} /> },
              {
                title: 'Actions',
                silent: true,
                align: 'right',
                cell: ({ id, name }) => (
                  <span className="inline-flex gap-1">
                    <IconButton icon="refresh" label={`Try ${name} again`} onClick={() => retry.mutate(id)} />
                    <IconButton icon="trash" label={`Forget ${name}`} onClick={() => forget.mutate(id)} />
                  </span>
                ),
              },
            ]}
          />
        )}
        <ShowOlder pages={failed} />
      </Card>
      <Card title="Run by the clock" about="Each can be run now, instead of waiting for its time." flush>
        <Table
          label="Recurring jobs"
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
            {
              title: 'Actions',
              silent: true,
              align: 'right',
              cell: ({ name }) => (
                <Button
                  size="small"
                  icon="play"
                  aria-label={`Run ${name} now`}
                  busy={run.isPending && run.variables === name}
                  onClick={() => run.mutate(name)}
                >
                  Run
                </Button>
              ),
            },
          ]}
        />
      </Card>
    </Page>
  )
}
