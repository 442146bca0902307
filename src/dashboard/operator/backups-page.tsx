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
    { changes: [], done: 'The backup is in your downloads.' },
  )
  return (
    <Page
      title="Backups"
      about="Everything in one archive: the database and the contents of files. It is made while visitors are served."
    >
      <Card
        title="Download a backup"
        footer={
          <>
            <span role="status">
              {make.isPending
                ? `${formatBytes(received)} so far …`
                : 'Large installations: use the command line.'}
            </span>
            <Button
              look="primary"
              icon="download"
              busy={make.isPending}
              onClick={() => make.mutate(undefined)}
            >
              Make a backup
            </Button>
          </>
        }
      >
        <div className="space-y-4">
          <Switch
            label="With the logs of deployments"
            hint="Visits and output of the last days. They make it much larger."
            checked={logs}
            onChange={setLogs}
          />
          <Switch
            label="With the master key"
            hint="Without it secrets cannot be read from the backup. With it, whoever has the file can read them: keep it apart unless you have a reason."
            checked={key}
            onChange={setKey}
          />
        </div>
      </Card>
      <Card
        title="On the command line"
        about="The same archive, written as it comes, and how to bring it back."
      >
        <div className="space-y-2">
          <CopyLine text="npx aloft operator backup --output aloft-backup.tar" />
          <CopyLine text="npx aloft operator restore aloft-backup.tar --data-dir .aloft" />
        </div>
      </Card>
    </Page>
  )
}
