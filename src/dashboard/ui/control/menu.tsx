import * as Radix from '@radix-ui/react-dropdown-menu'
import type { ReactNode } from 'react'
import { classes } from '../classes.ts'
import { Icon, type IconName } from '../icon.tsx'

/** A button that opens a list of things to do, or of places to go to. */
export const Menu = ({
  trigger,
  align = 'end',
  children,
}: {
  /** A button; it gets its behaviour from here. */
  trigger: ReactNode
  align?: 'start' | 'end'
  children: ReactNode
}) => (
  <Radix.Root modal={false}>
    <Radix.Trigger asChild>{trigger}</Radix.Trigger>
    <Radix.Portal>
      <Radix.Content
        align={align}
        sideOffset={6}
        className="z-40 max-h-[70vh] min-w-52 overflow-y-auto rounded-xl border border-line bg-raised p-1.5 text-sm shadow-xl"
      >
        {children}
      </Radix.Content>
    </Radix.Portal>
  </Radix.Root>
)

const ITEM =
  'flex w-full cursor-pointer items-center gap-2.5 rounded-lg px-2.5 py-2 outline-none select-none data-highlighted:bg-hover data-disabled:opacity-50'

export const MenuItem = ({
  icon,
  danger = false,
  disabled = false,
  onSelect,
  children,
}: {
  icon?: IconName
  danger?: boolean
  disabled?: boolean
  onSelect: () => void
  children: ReactNode
}) => (
  <Radix.Item disabled={disabled} onSelect={onSelect} className={classes(ITEM, danger && 'text-bad')}>
    {icon && <Icon name={icon} />}
    {children}
  </Radix.Item>
)

/** An item that is a link: hand over the `<Link>` or `<a>`. */
export const MenuLink = ({ children }: { children: ReactNode }) => (
  <Radix.Item asChild className={ITEM}>
    {children}
  </Radix.Item>
)

export const MenuLabel = ({ children }: { children: ReactNode }) => (
  <Radix.Label className="px-2.5 pt-2 pb-1 text-xs font-medium text-soft">{children}</Radix.Label>
)

export const MenuLine = () => <Radix.Separator className="my-1.5 h-px bg-line" />
