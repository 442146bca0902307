import { Button } from '../control/button.tsx'
import { CopyLine } from '../control/copy-button.tsx'
import { Dialog } from './dialog.tsx'

/** A secret that nobody can read again after this. */
export const ShownOnce = ({
  title,
  about,
  secret,
  onClose,
}: {
  title: string
  about: string
  secret: string
  onClose: () => void
}) => (
  <Dialog title={title} about={about} onClose={onClose}>
    <CopyLine text={secret} label="Copy" />
    <div className="mt-5 flex justify-end">
      <Button look="primary" onClick={onClose}>
        Done
      </Button>
    </div>
  </Dialog>
)
