import { useState } from 'react'
import { deleteCron, listCrons, runCron, updateCron } from '#contract/api/cron.ts'
import { useAction, useRead } from '../api/query.ts'
import { useProject } from '../project/project.ts'
import { Badge } from '../ui/badge.tsx'
import { Button, IconButton } from '../ui/control/button.tsx'
import { CopyLine } from '../ui/control/copy-button.tsx'
import { Confirm } from '../ui/dialog/confirm.tsx'
import { Empty } from '../ui/feedback/empty.tsx'
import { Card } from '../ui/layout/card.tsx'
import { Page } from '../ui/layout/page.tsx'
import { Table } from '../ui/layout/table.tsx'
import { formatTime } from '../ui/text/format.ts'
import { Time } from '../ui/text/time.tsx'
import type { Cron } from './cron.ts'
import { CronRuns } from './cron-runs.tsx'
import { NewCronDialog } from './new-cron-dialog.tsx'
import { RunBadge } from './run-badge.tsx'

export function CronsPage() {
  const { id: idOrName } = useProject()
  const { crons } = useRead('cron', listCrons, { params: { idOrName } })
  const [making, setMaking] = useState(false)
  const [leaving, setLeaving] = useState<Cron>()
  const [shown, setShown] = useState<string>()
  const change = useAction(
    ({ id, enabled }: { id: string; enabled: boolean }, { client }) =>
      client.call(updateCron, { params: { idOrName, id }, body: { enabled } }),
    { changes: ['cron'] },
  )
  const run = useAction((id: string, { client }) => client.call(runCron, { params: { idOrName, id } }), {
    changes: ['cron'],
    done: 'Run started.',
  })
  const remove = useAction(
    (id: string, { client }) => client.call(deleteCron, { params: { idOrName, id } }),
    { changes: ['cron'], done: 'Scheduled job removed.', after: () => setLeaving(undefined) },
  )
  const make = (
    <Button look="primary" icon="plus" onClick={() => setMaking(true)}>
      New scheduled job
    </Button>
  )
  const open = crons.find(({ id }) => id === shown)
  return (
    <Page
      title="Scheduled jobs"
      about="Paths of the production deployment, requested on a schedule."
      actions={crons.length > 0 && make}
    >
      <Card flush>
        {crons.length === 0 ? (
          <Empty icon="clock" title="No scheduled jobs yet" action={make}>
            <p className="mb-3">
              Add one here, or list paths under <code>crons</code> in <code>vercel.json</code>.
            </p>
            <CopyLine text={'aloft crons add /api/nightly "0 5 * * *"'} />
          </Empty>
        ) : (
          <Table
            label="Scheduled jobs"
            rows={crons}
            rowKey={({ id }) => id}
            columns={[
              {
                title: 'Path',
                cell: ({ id, path, source, schedule }) => (
                  <>
                    <button
                      type="button"
                      className="block font-medium break-all hover:underline"
                      onClick={() => setShown(id)}
                    >
                      {path}
                    </button>
                    <code className="block text-xs whitespace-nowrap md:hidden">{schedule}</code>
                    <span className="text-soft">
                      {source === 'config' ? 'from the deployment' : 'added here'}
                    </span>
                  </>
                ),
              },
              {
                title: 'Schedule',
                wide: true,
                cell: ({ schedule, timeZone }) => (
                  <>
                    <code className="whitespace-nowrap">{schedule}</code>
                    <span className="block text-soft">{timeZone}</span>
                  </>
                ),
              },
              {
                title: 'Next run',
                wide: true,
                cell: ({ enabled, nextAt }) =>
                  enabled && nextAt !== null ? (
                    <time dateTime={new Date(nextAt).toISOString()}>{formatTime(nextAt)}</time>
                  ) : (
                    <Badge tone="warn">Paused</Badge>
                  ),
              },
              {
                title: 'Last run',
                cell: ({ lastRun }) =>
                  lastRun && (
                    <>
                      <RunBadge run={lastRun} />
                      <span className="block text-soft">
                        <Time at={lastRun.dueAt} />
                      </span>
                    </>
                  ),
              },
            ]}
            actions={(cron) => (
              <span className="flex justify-end gap-1">
                <IconButton icon="bolt" label={`Run ${cron.path} now`} onClick={() => run.mutate(cron.id)} />
                <IconButton
                  icon={cron.enabled ? 'pause' : 'play'}
                  label={`${cron.enabled ? 'Pause' : 'Resume'} ${cron.path}`}
                  onClick={() => change.mutate({ id: cron.id, enabled: !cron.enabled })}
                />
                {cron.source === 'api' && (
                  <IconButton icon="trash" label={`Remove ${cron.path}`} onClick={() => setLeaving(cron)} />
                )}
              </span>
            )}
          />
        )}
      </Card>
      {open && <CronRuns idOrName={idOrName} cron={open} />}
      {making && <NewCronDialog idOrName={idOrName} onClose={() => setMaking(false)} />}
      {leaving && (
        <Confirm
          title={`Remove the scheduled job ${leaving.path}?`}
          action="Remove scheduled job"
          busy={remove.isPending}
          onConfirm={() => remove.mutate(leaving.id)}
          onClose={() => setLeaving(undefined)}
        >
          <p>It won’t run again, and its run history is deleted.</p>
        </Confirm>
      )}
    </Page>
  )
}
