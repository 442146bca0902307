import { type ReactNode, useState } from 'react'
import { Button } from '../control/button.tsx'
import { TextField } from '../control/field.tsx'
import { submitting } from '../submitting.ts'
import { Dialog } from './dialog.tsx'

/** Asks before something that has consequences, or cannot be taken back. With `word`, only after it was typed. */
export function Confirm({
  title,
  children,
  action,
  keep = 'Cancel',
  look = 'danger',
  word,
  busy = false,
  onConfirm,
  onClose,
}: {
  title: string
  children: ReactNode
  /** What the button says: the deed itself, not “OK”. */
  action: string
  /** What the other button says. */
  keep?: string
  look?: 'danger' | 'primary'
  word?: string | undefined
  busy?: boolean
  onConfirm: () => void
  onClose: () => void
}) {
  const [typed, setTyped] = useState('')
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submitting(onConfirm)}>
        <div className="space-y-3 text-sm">{children}</div>
        {word !== undefined && (
          <div className="mt-4">
            <TextField label={`Type “${word}” to confirm`} value={typed} onChange={setTyped} literal />
          </div>
        )}
        <div className="mt-5 flex justify-end gap-2">
          <Button onClick={onClose}>{keep}</Button>
          <Button look={look} type="submit" busy={busy} disabled={word !== undefined && typed !== word}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
