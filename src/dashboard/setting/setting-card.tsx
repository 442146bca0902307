import type { ReactNode } from 'react'
import { explain } from '../api/explain.ts'
import { Button } from '../ui/control/button.tsx'
import { Card } from '../ui/layout/card.tsx'
import { submitting } from '../ui/submitting.ts'

/** A card that is a form: what is set, what it means, and one button that saves it. */
export const SettingCard = ({
  title,
  about,
  hint,
  action = 'Save',
  changed,
  busy = false,
  error,
  clear,
  onSave,
  children,
}: {
  title: string
  about?: ReactNode
  /** Beside the button. */
  hint?: ReactNode
  action?: string
  /** Whether there is anything to save. */
  changed: boolean
  busy?: boolean
  error?: unknown
  /** A button before the one that saves, which takes the setting away; false while there is none. */
  clear?: { readonly label: string; readonly onClear: () => void } | false
  onSave: () => void
  children: ReactNode
}) => (
  <form onSubmit={submitting(onSave)}>
    <Card
      title={title}
      about={about}
      footer={
        <>
          <span className="min-w-0 flex-1 basis-48">
            {error ? (
              <span role="alert" className="text-bad">
                {explain(error)}
              </span>
            ) : (
              hint
            )}
          </span>
          <span className="flex gap-2">
            {clear && (
              <Button size="small" look="danger" disabled={busy} onClick={clear.onClear}>
                {clear.label}
              </Button>
            )}
            <Button type="submit" look="primary" size="small" disabled={!changed} busy={busy}>
              {action}
            </Button>
          </span>
        </>
      }
    >
      <div className="space-y-4">{children}</div>
    </Card>
  </form>
)
