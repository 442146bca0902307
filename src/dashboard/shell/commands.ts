import type { NavigateOptions } from '@tanstack/react-router'
import type { Account } from '../api/account.tsx'
import type { IconName } from '../ui/icon.tsx'
import { OPERATOR_PLACES, PERSON_PLACES, type Place, placesOf } from './navigation.tsx'
import { setTheme } from './theme.ts'

/** Something that the palette can find: a place to go to, or a thing to do. */
export type Command = {
  /** Fit for the id of an element. */
  readonly id: string
  readonly label: string
  readonly group: string
  readonly icon: IconName
} & ({ readonly link: NavigateOptions } | { readonly run: () => void })

export function commandsOf({
  account,
  accounts,
  projects,
  operator,
}: {
  readonly account: Account | undefined
  readonly accounts: readonly Account[]
  /** Their names, those that fit best first. */
  readonly projects: readonly string[]
  readonly operator: boolean
}): readonly Command[] {
  const commands: Omit<Command, 'id'>[] = []
  const add = (group: string, { label, icon, link }: Place) =>
    commands.push({ label, group, icon, link: link as NavigateOptions } as Omit<Command, 'id'>)

  if (account !== undefined) {
    const params = { account: account.slug }
    for (const name of projects)
      add('Project', {
        label: name,
        icon: 'box',
        link: { to: '/a/$account/projects/$project', params: { ...params, project: name } },
      })
    add('Action', { label: 'New deployment', icon: 'plus', link: { to: '/a/$account/new', params } })
    for (const { places } of placesOf(account)) for (const place of places) add('Go to', place)
  }
  for (const { slug, name, id } of accounts)
    if (id !== account?.id)
      add('Switch account', {
        label: name,
        icon: 'people',
        link: { to: '/a/$account', params: { account: slug } },
      })
  for (const place of PERSON_PLACES) add('You', place)
  if (operator) for (const place of OPERATOR_PLACES) add('Operator', place)
  for (const theme of ['light', 'dark', 'system'] as const)
    commands.push({
      label: `Theme: ${theme}`,
      group: 'Action',
      icon: theme === 'light' ? 'sun' : 'moon',
      run: () => setTheme(theme),
    } as Omit<Command, 'id'>)
  return commands.map((command, index) => ({ ...command, id: String(index) }) as Command)
}

/** Those that hold every word that was typed, the ones that begin with it first. */
export function matching(commands: readonly Command[], typed: string): readonly Command[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean)
  const [first = ''] = words
  const starts = ({ label }: Command) => label.toLowerCase().startsWith(first)
  return commands
    .filter(({ label, group }) => words.every((word) => `${label} ${group}`.toLowerCase().includes(word)))
    .sort((a, b) => Number(starts(b)) - Number(starts(a)))
    .slice(0, 50)
}
