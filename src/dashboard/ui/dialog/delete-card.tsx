import { type ReactNode, useState } from 'react'
import { Button } from '../control/button.tsx'
import { Card } from '../layout/card.tsx'
import { Confirm } from './confirm.tsx'

/** The end of something large, which is confirmed by typing its name. */
export function DeleteCard({
  what,
  name,
  about,
  busy,
  onDelete,
  children,
}: {
  /** Such as `project`. */
  what: string
  name: string
  about: string
  busy: boolean
  onDelete: () => void
  children: ReactNode
}) {
  const [asking, setAsking] = useState(false)
  return (
    <>
      <Card
        className="border-bad/40"
        title={`Delete ${what}`}
        about={about}
        actions={
          <Button look="danger" icon="trash" onClick={() => setAsking(true)}>
            Delete…
          </Button>
        }
      />
      {asking && (
        <Confirm
          title={`Delete ${name}?`}
          action={`Delete ${what}`}
          word={name}
          busy={busy}
          onClose={() => setAsking(false)}
          onConfirm={onDelete}
        >
          <p>{children}</p>
        </Confirm>
      )}
    </>
  )
}
