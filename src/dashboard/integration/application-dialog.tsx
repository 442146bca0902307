import { useState } from 'react'
import { createApplication, updateApplication } from '#contract/api/application.ts'
import { SCOPES, type Scope } from '#contract/scopes.ts'
import { explain } from '../api/explain.ts'
import { useAction } from '../api/query.ts'
import { SelectField, TextField } from '../ui/field.tsx'
import { FormDialog } from '../ui/form-dialog.tsx'

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
  { value: '', label: 'Nothing' },
  { value: 'read', label: 'Read' },
  { value: 'read-write', label: 'Read and change' },
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
      title={application === undefined ? 'New application' : `Change ${application.name}`}
      {...(application !== undefined && {
        about: 'Those who have it installed are asked to agree to wider scopes.',
      })}
      onClose={onClose}
      action={application === undefined ? 'Register it' : 'Save'}
      busy={save.isPending}
      onSubmit={() => save.mutate(undefined)}
    >
      <TextField
        label="Name"
        error={save.error === null ? undefined : explain(save.error)}
        value={name}
        onChange={setName}
        required
        maxLength={64}
      />
      <TextField
        label="Leads back to"
        hint="Where people are sent after they agreed. No other address is accepted."
        type="url"
        placeholder="https://watcher.example/back"
        value={redirectUrl}
        onChange={setRedirectUrl}
        required
      />
      <TextField
        label="Is told at (optional)"
        type="url"
        placeholder="https://watcher.example/events"
        value={webhookUrl}
        onChange={setWebhookUrl}
      />
      <TextField
        label="Note (optional)"
        hint="Shown to those who are asked to agree."
        value={note}
        onChange={setNote}
        maxLength={500}
      />
      <fieldset>
        <legend className="mb-1.5 text-sm font-medium">Asks for</legend>
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
