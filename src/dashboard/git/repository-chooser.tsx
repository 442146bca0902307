import { useState } from 'react'
import { listGitConnections } from '#contract/api/git-connection.ts'
import { useLater } from '../api/query.ts'
import { Button } from '../ui/control/button.tsx'
import { SelectField } from '../ui/control/field.tsx'
import { ConnectHostDialog } from './connect-host-dialog.tsx'
import { connectionName } from './git-hosts.ts'
import { type ChosenRepository, RepositoryList } from './repository-list.tsx'

/** A repository of a connected host; where there is none yet, one can be connected here. */
export function RepositoryChooser({ onChosen }: { onChosen: (chosen: ChosenRepository) => void }) {
  const { data } = useLater('git-connection', listGitConnections)
  const [wanted, setWanted] = useState<string>()
  const [adding, setAdding] = useState(false)
  if (data === undefined) return null
  const { connections } = data
  const chosen = connections.find(({ id }) => id === wanted) ?? connections[0]
  return (
    <div className="space-y-3">
      <div className="flex flex-wrap items-end gap-3">
        {chosen !== undefined && (
          <div className="min-w-0 flex-1 basis-64">
            <SelectField
              label="Git host"
              value={chosen.id}
              onChange={setWanted}
              options={connections.map((one) => ({ value: one.id, label: connectionName(one) }))}
            />
          </div>
        )}
        <Button icon="plug" onClick={() => setAdding(true)}>
          {chosen === undefined ? 'Connect a Git host' : 'Connect another host'}
        </Button>
      </div>
      {chosen !== undefined && (
        <RepositoryList key={chosen.id} connectionId={chosen.id} onChosen={onChosen} />
      )}
      {adding && <ConnectHostDialog onClose={() => setAdding(false)} onDone={setWanted} />}
    </div>
  )
}
