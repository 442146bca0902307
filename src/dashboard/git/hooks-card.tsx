import { useState } from 'react'
import { createDeployHook, deleteDeployHook, listDeployHooks } from '#contract/api/git.ts'
import { useAction, useRead } from '../api/query.ts'
import { Button, IconButton } from '../ui/control/button.tsx'
import { CopyLine } from '../ui/control/copy-button.tsx'
import { TextField } from '../ui/control/field.tsx'
import { Confirm } from '../ui/dialog/confirm.tsx'
import { FormDialog } from '../ui/dialog/form-dialog.tsx'
import { Card } from '../ui/layout/card.tsx'

/** Addresses that deploy a branch whenever they are called. */
export function HooksCard({ idOrName }: { idOrName: string }) {
  const { deployHooks } = useRead('project', listDeployHooks, { params: { idOrName } })
  const [making, setMaking] = useState(false)
  const [leaving, setLeaving] = useState<{ id: string; name: string }>()
  const revoke = useAction(
    (id: string, { client }) => client.call(deleteDeployHook, { params: { idOrName, id } }),
    { changes: ['project'], done: 'Deploy hook revoked.', after: () => setLeaving(undefined) },
  )
  return (
    <Card title="Deploy hooks" about="A POST request to one of these secret URLs deploys its branch.">
      <div className="grid gap-4">
        {deployHooks.map(({ id, name, ref, url }) => (
          <div key={id} className="grid gap-1">
            <div className="flex items-center justify-between gap-2">
              <p className="min-w-0 break-all">
                <span className="font-medium">{name}</span> deploys <code>{ref}</code>
              </p>
              <IconButton icon="trash" label={`Revoke ${name}`} onClick={() => setLeaving({ id, name })} />
            </div>
            <CopyLine text={url} />
          </div>
        ))}
        <div>
          <Button icon="plus" onClick={() => setMaking(true)}>
            New deploy hook
          </Button>
        </div>
      </div>
      {making && <NewHookDialog idOrName={idOrName} onClose={() => setMaking(false)} />}
      {leaving && (
        <Confirm
          title={`Revoke the deploy hook ${leaving.name}?`}
          action="Revoke"
          busy={revoke.isPending}
          onConfirm={() => revoke.mutate(leaving.id)}
          onClose={() => setLeaving(undefined)}
        >
          <p>Requests to its URL will fail.</p>
        </Confirm>
      )}
    </Card>
  )
}

function NewHookDialog({ idOrName, onClose }: { idOrName: string; onClose: () => void }) {
  const [name, setName] = useState('')
  const [ref, setRef] = useState('main')
  const make = useAction(
    (_input: undefined, { client }) =>
      client.call(createDeployHook, { params: { idOrName }, body: { name, ref } }),
    { changes: ['project'], done: 'Deploy hook created.', after: onClose, quiet: true },
  )
  return (
    <FormDialog
      title="New deploy hook"
      onClose={onClose}
      action="Create"
      busy={make.isPending}
      onSubmit={() => make.mutate(undefined)}
    >
      <TextField label="Name" value={name} onChange={setName} required maxLength={100} autoComplete="off" />
      <TextField
        label="Branch"
        error={make.problem}
        value={ref}
        onChange={setRef}
        required
        maxLength={250}
        autoComplete="off"
      />
    </FormDialog>
  )
}
