import { Button } from '../ui/button.tsx'
import { CopyLine } from '../ui/copy-button.tsx'
import { Dialog } from '../ui/dialog.tsx'

export const SecretDialog = ({ secret, onClose }: { secret: string; onClose: () => void }) => (
  <Dialog
    title="Copy the client secret now"
    about="It is shown this once. One from before is worth nothing from now on."
    onClose={onClose}
  >
    <CopyLine text={secret} label="Copy the secret" />
    <div className="mt-5 flex justify-end">
      <Button look="primary" onClick={onClose}>
        I have copied it
      </Button>
    </div>
  </Dialog>
)
