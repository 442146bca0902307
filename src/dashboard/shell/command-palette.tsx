import type { Account } from '../api/account.tsx'
import { Icon } from '../ui/icon.tsx'

/** Finds any page or thing by typing: Ctrl+K, or ⌘K. */
export const CommandPalette = ({ account }: { account: Account | undefined }) => (
  <button
    type="button"
    disabled={account === undefined}
    className="flex w-full items-center gap-2 rounded-lg border border-line bg-bg px-2.5 py-1.5 text-sm text-soft hover:text-fg"
  >
    <Icon name="search" />
    <span className="flex-1 text-left">Find …</span>
    <kbd className="text-xs">⌘K</kbd>
  </button>
)
