import { useLocation } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState } from 'react'
import type { Account } from '../api/account.tsx'
import { classes } from '../ui/classes.ts'
import { IconButton } from '../ui/control/button.tsx'
import { AccountSwitcher } from './account-switcher.tsx'
import { CommandPalette } from './command-palette.tsx'
import { PersonMenu } from './person-menu.tsx'

/** The side with its places, and the page. On a narrow screen the side is behind a button. */
export function Frame({
  current,
  navigation,
  children,
}: {
  /** Undefined on pages that are of no account. */
  current: Account | undefined
  navigation: ReactNode
  children: ReactNode
}) {
  const [open, setOpen] = useState(false)
  const { pathname } = useLocation()
  // biome-ignore lint/correctness/useExhaustiveDependencies: whoever went to another page is done with the side
  useEffect(() => setOpen(false), [pathname])

  return (
    <div className="flex min-h-dvh max-md:flex-col">
      <header className="sticky top-0 z-20 flex items-center justify-between gap-2 border-b border-line bg-panel px-3 py-2 md:hidden">
        <AccountSwitcher current={current} />
        <IconButton
          icon={open ? 'close' : 'menu'}
          label={open ? 'Close menu' : 'Open menu'}
          aria-expanded={open}
          aria-controls="side"
          onClick={() => setOpen(!open)}
        />
      </header>
      <aside
        id="side"
        className={classes(
          'flex w-full shrink-0 flex-col border-line bg-panel md:sticky md:top-0 md:h-dvh md:w-60 md:border-r',
          open ? 'max-md:border-b' : 'max-md:hidden',
        )}
      >
        <div className="px-3 pt-3 max-md:hidden">
          <AccountSwitcher current={current} />
        </div>
        <div className="px-3 pt-3">
          <CommandPalette account={current} />
        </div>
        <nav aria-label="Main" className="flex-1 space-y-5 overflow-y-auto px-3 py-4 text-sm">
          {navigation}
        </nav>
        <div className="border-t border-line p-3">
          <PersonMenu />
        </div>
      </aside>
      <main id="main" tabIndex={-1} className="min-w-0 flex-1 outline-none">
        {children}
      </main>
    </div>
  )
}
