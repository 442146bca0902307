import type { ReactNode } from 'react'
import { Button } from '../control/button.tsx'
import { submitting } from '../submitting.ts'
import { Dialog } from './dialog.tsx'

/** A dialog to fill in. What was typed stays when it could not be done. */
export const FormDialog = ({
  action,
  busy,
  disabled = false,
  onSubmit,
  onClose,
  children,
  ...dialog
}: {
  title: ReactNode
  about?: ReactNode
  wide?: boolean
  /** What the button says: the deed itself. */
  action: ReactNode
  busy: boolean
  disabled?: boolean
  onSubmit: () => void
  onClose: () => void
  children: ReactNode
}) => (
  <Dialog {...dialog} onClose={onClose}>
    <form className="space-y-4" onSubmit={submitting(onSubmit)}>
      {children}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" busy={busy} disabled={disabled}>
          {action}
        </Button>
      </div>
    </form>
  </Dialog>
)
