import { IconButton } from '../../ui/control/button.tsx'

export const PinButton = ({ name, on, onToggle }: { name: string; on: boolean; onToggle: () => void }) => (
  <IconButton
    icon="pin"
    label={on ? `Unpin ${name}` : `Pin ${name}`}
    aria-pressed={on}
    onClick={onToggle}
    className="aria-pressed:text-accent"
  />
)
