import { useState } from 'react'
import { makeBackup } from '#contract/api/operator.ts'
import { useAction } from '../api/query.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { CopyLine } from '../ui/copy-button.tsx'
import { Switch } from '../ui/field.tsx'
import { formatBytes } from '../ui/format.ts'
import { Page } from '../ui/page.tsx'
import { saveAs } from './save-as.ts'

export function BackupsPage() {
  const [logs, setLogs] = useState(false)
  const [key, setKey] = useState(false)
  const [received, setReceived] = useState(0)
  const make = useAction(
    async (_input: undefined, { client }) => {
      setReceived(0)
      await saveAs(await client.call(makeBackup, { query: { logs, key } }), setReceived)
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
            <span role="status">
              {make.isPending
                ? `${formatBytes(received)} downloaded…`
                : 'For large installations, use the command line.'}
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
