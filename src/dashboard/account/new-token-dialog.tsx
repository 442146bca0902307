import { useState } from 'react'
import { createToken } from '#contract/api/token.ts'
import { DAY } from '#contract/time.ts'
import { useAction } from '../api/query.ts'
import { SelectField, TextField } from '../ui/control/field.tsx'
import { FormDialog } from '../ui/dialog/form-dialog.tsx'
import { ShownOnce } from '../ui/dialog/shown-once.tsx'

const LIVES = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '1 year' },
  { value: 'never', label: 'No expiration' },
] as const

export function NewTokenDialog({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('')
  const [days, setDays] = useState<(typeof LIVES)[number]['value']>('90')
  const make = useAction(
    (_input: undefined, { client }) =>
      client.call(createToken, {
        body: { name, ...(days !== 'never' && { expiresAt: Date.now() + Number(days) * DAY }) },
      }),
    { changes: ['token'], quiet: true },
  )

  if (make.data !== undefined)
    return (
      <ShownOnce
        title="Copy your token now"
        about="You won't be able to see it again. It isn't stored in readable form."
        secret={make.data.bearerToken}
        onClose={onClose}
      />
    )
  return (
    <FormDialog
      title="New token"
      onClose={onClose}
      action="Create token"
      busy={make.isPending}
      onSubmit={() => make.mutate(undefined)}
    >
      <TextField
        label="Name"
        hint="Describe what it's for, such as “Shop CI”."
        error={make.problem}
        value={name}
        onChange={setName}
        required
        maxLength={256}
        autoComplete="off"
      />
      <SelectField label="Expires after" value={days} onChange={setDays} options={LIVES} />
    </FormDialog>
  )
}
