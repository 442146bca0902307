import { useState } from 'react'
import { createApplication, updateApplication } from '#contract/api/application.ts'
import { SCOPES, type Scope } from '#contract/scopes.ts'
import { useAction } from '../api/query.ts'
import { SelectField, TextField } from '../ui/control/field.tsx'
import { FormDialog } from '../ui/dialog/form-dialog.tsx'

type RequestedScopes = Partial<Record<Scope, 'read' | 'read-write'>>

export interface ApplicationFields {
  readonly id: string
  readonly name: string
  readonly slug: string
  readonly redirectUrl: string
  readonly webhookUrl: string | null
  readonly scopes: RequestedScopes
  readonly note: string | null
}

const HOW = [
  { value: '', label: 'None' },
  { value: 'read', label: 'Read' },
  { value: 'read-write', label: 'Read and write' },
] as const

/** Registers an application, or changes one. */
export function ApplicationDialog({
  application,
  onClose,
  onSecret,
}: {
  application?: ApplicationFields
  onClose: () => void
  onSecret: (secret: string) => void
}) {
  const [name, setName] = useState(application?.name ?? '')
  const [redirectUrl, setRedirectUrl] = useState(application?.redirectUrl ?? '')
  const [webhookUrl, setWebhookUrl] = useState(application?.webhookUrl ?? '')
  const [note, setNote] = useState(application?.note ?? '')
  const [scopes, setScopes] = useState<RequestedScopes>(application?.scopes ?? { project: 'read' })
  const save = useAction(
    async (_input: undefined, { client }) => {
      const body = { name, redirectUrl, webhookUrl: webhookUrl || null, note: note || null, scopes }
      if (application !== undefined) {
        await client.call(updateApplication, { params: { id: application.id }, body })
        return undefined
      }
      return (await client.call(createApplication, { body })).clientSecret
    },
    {
      changes: ['application'],
      quiet: true,
      after: (secret) => {
        onClose()
        if (secret !== undefined) onSecret(secret)
      },
    },
  )
  return (
    <FormDialog
      title={application === undefined ? 'New application' : `Edit ${application.name}`}
      {...(application !== undefined && {
        about: 'Accounts that already installed it must approve any additional scopes.',
      })}
      onClose={onClose}
      action={application === undefined ? 'Create application' : 'Save'}
      busy={save.isPending}
      onSubmit={() => save.mutate(undefined)}
    >
      <TextField label="Name" error={save.problem} value={name} onChange={setName} required maxLength={64} />
      <TextField
        label="Redirect URL"
        hint="Where users are sent after they approve. No other URL is accepted."
        type="url"
        placeholder="https://watcher.example/back"
        value={redirectUrl}
        onChange={setRedirectUrl}
        required
      />
      <TextField
        label="Webhook URL (optional)"
        type="url"
        placeholder="https://watcher.example/events"
        value={webhookUrl}
        onChange={setWebhookUrl}
      />
      <TextField
        label="Note (optional)"
        hint="Shown to users on the approval screen."
        value={note}
        onChange={setNote}
        maxLength={500}
      />
      <fieldset>
        <legend className="mb-1.5 text-sm font-medium">Scopes</legend>
        <div className="grid gap-2">
          {SCOPES.map((scope) => (
            <div key={scope} className="grid grid-cols-[1fr_10rem] items-center gap-3 text-sm">
              <span aria-hidden="true">{scope}</span>
              <SelectField
                label={`Access to ${scope}`}
                hideLabel
                value={scopes[scope] ?? ''}
                options={HOW}
                onChange={(how) => {
                  const { [scope]: _before, ...others } = scopes
                  setScopes(how === '' ? others : { ...others, [scope]: how })
                }}
              />
            </div>
          ))}
        </div>
      </fieldset>
    </FormDialog>
  )
}
