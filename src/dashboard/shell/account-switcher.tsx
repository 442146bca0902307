import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { type Account, useAccounts } from '../api/account.tsx'
import { NewTeamDialog } from '../team/new-team-dialog.tsx'
import { Avatar } from '../ui/avatar.tsx'
import { Menu, MenuItem, MenuLabel, MenuLine, MenuLink } from '../ui/control/menu.tsx'
import { Icon } from '../ui/icon.tsx'

/** Whose pages these are, and the way to those of others. */
export function AccountSwitcher({ current }: { current: Account | undefined }) {
  const { all } = useAccounts()
  const navigate = useNavigate()
  const [making, setMaking] = useState(false)
  return (
    <>
      <Menu
        align="start"
        trigger={
          <button
            type="button"
            className="flex w-full min-w-0 items-center gap-2.5 rounded-lg px-2 py-1.5 text-left hover:bg-hover"
          >
            {current === undefined ? (
              <span aria-hidden="true" className="px-1 text-accent">
                ◢
              </span>
            ) : (
              <Avatar name={current.slug} square={current.kind === 'team'} />
            )}
            <span className="min-w-0 flex-1">
              <span className="sr-only">Account: </span>
              <span className="block truncate text-sm font-medium">{current?.name ?? 'Aloft'}</span>
            </span>
            <Icon name="chevron" className="size-4 text-soft" />
          </button>
        }
      >
        <MenuLabel>Accounts</MenuLabel>
        {all.map((account) => (
          <MenuLink key={account.id}>
            <Link to="/a/$account" params={{ account: account.slug }}>
              <Avatar name={account.slug} square={account.kind === 'team'} />
              <span className="min-w-0 flex-1 truncate">{account.name}</span>
              {account.id === current?.id && <Icon name="check" />}
            </Link>
          </MenuLink>
        ))}
        <MenuLine />
        <MenuItem icon="plus" onSelect={() => setMaking(true)}>
          New team
        </MenuItem>
      </Menu>
      {making && (
        <NewTeamDialog
          onClose={() => setMaking(false)}
          onMade={(slug) => void navigate({ to: '/a/$account', params: { account: slug } })}
        />
      )}
    </>
  )
}
