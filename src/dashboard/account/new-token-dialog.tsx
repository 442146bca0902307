import { useState } from 'react'
import { createToken } from '#contract/api/token.ts'
import { explain } from '../api/explain.ts'
import { useAction } from '../api/query.ts'
import { Button } from '../ui/button.tsx'
import { CopyLine } from '../ui/copy-button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { SelectField, TextField } from '../ui/field.tsx'

const DAY = 86_400_000
const LIVES = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'A year' },
  { value: 'never', label: 'No end' },
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
      <Dialog
        title="Copy your token now"
        about="It is shown this once. Nobody can read it again, not even an operator."
        onClose={onClose}
      >
        <CopyLine text={make.data.bearerToken} label="Copy the token" />
        <div className="mt-5 flex justify-end">
          <Button look="primary" onClick={onClose}>
            I have copied it
          </Button>
        </div>
      </Dialog>
    )
  return (
    <Dialog title="New token" onClose={onClose}>
      <form
        className="space-y-4"
        onSubmit={(event) => {
          event.preventDefault()
          make.mutate(undefined)
        }}
      >
        <TextField
          label="Name"
          hint="What it is for, so that you know it again: “CI of the shop”."
          error={make.error === null ? undefined : explain(make.error)}
          value={name}
          onChange={setName}
          required
          maxLength={256}
          autoComplete="off"
        />
        <SelectField label="Ends after" value={days} onChange={setDays} options={LIVES} />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" busy={make.isPending}>
            Make the token
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
