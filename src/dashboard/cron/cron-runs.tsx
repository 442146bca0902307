import { useState } from 'react'
import { showDuration } from '#contract/amounts.ts'
import { listCronRuns } from '#contract/api/cron.ts'
import { useLater } from '../api/query.ts'
import { useLogPages } from '../log/use-logs.ts'
import { Button } from '../ui/control/button.tsx'
import { Card } from '../ui/layout/card.tsx'
import { Table } from '../ui/layout/table.tsx'
import { CodeBlock } from '../ui/text/code-block.tsx'
import { Time } from '../ui/text/time.tsx'
import type { Cron } from './cron.ts'
import { type Run, RunBadge } from './run-badge.tsx'

/** What became of the last runs of a schedule, each with its log. */
export function CronRuns({ idOrName, cron }: { idOrName: string; cron: Cron }) {
  const { data } = useLater('cron', listCronRuns, {
    params: { idOrName, id: cron.id },
    query: { limit: 50 },
  })
  const [shown, setShown] = useState<Run>()
  return (
    <Card title={`Runs of ${cron.path}`} flush>
      <Table
        label={`Runs of ${cron.path}`}
        rows={data?.runs ?? []}
        rowKey={({ id }) => id}
        columns={[
          { title: 'Due', cell: ({ dueAt }) => <Time at={dueAt} /> },
          { title: 'By', wide: true, cell: ({ trigger }) => trigger },
          {
            title: 'Result',
            cell: (run) => (
              <>
                <RunBadge run={run} /> {run.status}
                {run.message !== null && <span className="block text-soft">{run.message}</span>}
              </>
            ),
          },
          {
            title: 'Duration',
            wide: true,
            cell: ({ durationMs }) => (durationMs === null ? '' : showDuration(durationMs)),
          },
          {
            title: 'Log',
            align: 'right',
            cell: (run) =>
              run.requestId !== null && (
                <Button size="small" onClick={() => setShown(run)}>
                  Log
                </Button>
              ),
          },
        ]}
      />
      {shown?.requestId && <RunLog idOrName={idOrName} requestId={shown.requestId} />}
    </Card>
  )
}

/** What was written during a run, the oldest line first. */
function RunLog({ idOrName, requestId }: { idOrName: string; requestId: string }) {
  const { data } = useLogPages(idOrName, { requestId })
  const entries = data?.pages.flatMap((page) => page.entries).toReversed() ?? []
  const text = entries.map((entry) => `${new Date(entry.at).toISOString()}  ${entry.text}`).join('\n')
  return (
    <div className="p-5">
      <CodeBlock label="Log of the run">{text === '' ? 'No output.' : text}</CodeBlock>
    </div>
  )
}
