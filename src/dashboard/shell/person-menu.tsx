import { Link } from '@tanstack/react-router'
import { useAccounts } from '../api/account.tsx'
import { Avatar } from '../ui/avatar.tsx'
import { Menu, MenuItem, MenuLabel, MenuLine, MenuLink } from '../ui/control/menu.tsx'
import { Icon } from '../ui/icon.tsx'
import { setTheme, type Theme, useTheme } from './theme.ts'

const THEMES: readonly { readonly theme: Theme; readonly label: string }[] = [
  { theme: 'system', label: 'System' },
  { theme: 'light', label: 'Light' },
  { theme: 'dark', label: 'Dark' },
]

/** Who is signed in, and what is theirs alone. */
export function PersonMenu() {
  const { user } = useAccounts()
  const current = useTheme()
  return (
    <Menu
      align="start"
      trigger={
        <button
          type="button"
          className="flex w-full items-center gap-2.5 rounded-lg px-2 py-1.5 text-left text-sm hover:bg-hover"
        >
          <Avatar name={user.username} />
          <span className="min-w-0 flex-1 truncate">
            <span className="sr-only">Signed in as </span>
            {user.email}
          </span>
          <Icon name="dots" className="size-4 text-soft" />
        </button>
      }
    >
      <MenuLink>
        <Link to="/account">
          <Icon name="person" /> Your account
        </Link>
      </MenuLink>
      <MenuLink>
        <Link to="/account/tokens">
          <Icon name="key" /> Access tokens
        </Link>
      </MenuLink>
      {user.operator && (
        <MenuLink>
          <Link to="/operator">
            <Icon name="activity" /> Operator console
          </Link>
        </MenuLink>
      )}
      <MenuLink>
        <a href="/docs">
          <Icon name="file" /> API reference
        </a>
      </MenuLink>
      <MenuLine />
      <MenuLabel>Theme</MenuLabel>
      {THEMES.map(({ theme, label }) => (
        <MenuItem key={theme} onSelect={() => setTheme(theme)}>
          <span className="flex-1">{label}</span>
          {current === theme && (
            <>
              <Icon name="check" />
              <span className="sr-only">selected</span>
            </>
          )}
        </MenuItem>
      ))}
      <MenuLine />
      <MenuLink>
        <a href="/logout">
          <Icon name="external" /> Sign out
        </a>
      </MenuLink>
    </Menu>
  )
}
