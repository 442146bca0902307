import { useState } from 'react'
import { showBytes, timeLeft } from '#contract/amounts.ts'
import { makeBackup } from '#contract/api/operator.ts'
import { useAction } from '../api/query.ts'
import { Button } from '../ui/control/button.tsx'
import { CopyLine } from '../ui/control/copy-button.tsx'
import { Switch } from '../ui/control/field.tsx'
import { ProgressBar } from '../ui/feedback/progress-bar.tsx'
import { Card } from '../ui/layout/card.tsx'
import { Page } from '../ui/layout/page.tsx'
import { saveBackup } from './save-backup.ts'

interface Progress {
  readonly done: number
  readonly of: number
  readonly ms: number
}

/** How far the download is, in words and as a bar. */
function Going({ progress }: { progress: Progress | undefined }) {
  if (progress === undefined) return 'Preparing the backup…'
  const left = timeLeft(progress.done, progress.of, progress.ms)
  return (
    <span className="block max-w-md space-y-2">
      <span className="block">
        {showBytes(progress.done)} of {showBytes(Math.max(progress.done, progress.of))}
        {left === '' ? '…' : `, ${left}`}
      </span>
      <ProgressBar label="Downloading the backup" done={progress.done} of={progress.of} />
    </span>
  )
}

export function BackupsPage() {
  const [logs, setLogs] = useState(false)
  const [key, setKey] = useState(false)
  const [progress, setProgress] = useState<Progress>()
  const make = useAction(
    async (_input: undefined, { client }) => {
      setProgress(undefined)
      const answer = await client.call(makeBackup, { query: { logs, key } })
      const of = Number(answer.headers.get('x-aloft-backup-bytes') ?? 0)
      const since = Date.now()
      await saveBackup(answer, (done) => setProgress({ done, of, ms: Date.now() - since }))
    },
    { changes: [], done: 'Backup downloaded.' },
  )
  return (
    <Page
      title="Backups"
      about="One archive with the database and all deployed files. Sites stay online while it is created."
    >
      <Card
        title="Download a backup"
        footer={
          <>
            <span role="status" className="min-w-0 flex-1">
              {make.isPending ? (
                <Going progress={progress} />
              ) : (
                'For large installations, use the command line.'
              )}
            </span>
            <Button
              look="primary"
              icon="download"
              busy={make.isPending}
              onClick={() => make.mutate(undefined)}
            >
              Create backup
            </Button>
          </>
        }
      >
        <div className="space-y-4">
          <Switch
            label="Include logs"
            hint="Requests and output of the last few days. Makes the backup much larger."
            checked={logs}
            onChange={setLogs}
          />
          <Switch
            label="Include the master key"
            hint="Secrets can't be restored without the master key. But anyone who gets a backup that includes it can read them, so it's safer to store the key separately."
            checked={key}
            onChange={setKey}
          />
        </div>
      </Card>
      <Card title="Command line" about="Stream the same archive to a file, and restore from it.">
        <div className="space-y-2">
          <CopyLine text="aloft operator backup --output aloft-backup.tar" />
          <CopyLine text="aloft operator restore aloft-backup.tar --data-dir .aloft" />
        </div>
      </Card>
    </Page>
  )
}
