import { useSuspenseQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { createContext, type ReactNode, use } from 'react'
import type { Client } from '#client/client.ts'
import { everyPage } from '#client/every-page.ts'
import { listTeams } from '#contract/api/team.ts'
import { MINUTE } from '#contract/time.ts'
import { clientFor, findUser, type User } from './session.ts'

/** Whom the person acts for: themselves, or a team they belong to. */
export interface Account {
  readonly id: string
  readonly kind: 'user' | 'team'
  /** In the address of every page. */
  readonly slug: string
  readonly name: string
  readonly client: Client
}

export interface Accounts {
  readonly user: User
  readonly all: readonly Account[]
}

export const accountsQuery = {
  queryKey: ['accounts'],
  staleTime: MINUTE,
  queryFn: async (): Promise<Accounts | null> => {
    const user = await findUser()
    if (user === undefined) return null
    const client = clientFor()
    const teams = await everyPage(
      async (query) => {
        const reply = await client.call(listTeams, { query })
        // By its slug it would be one.
        return 'teams' in reply ? reply : { teams: [], pagination: { next: null } }
      },
      ({ teams }) => teams,
    )
    return {
      user,
      all: [
        { id: user.id, kind: 'user', slug: user.username, name: user.name ?? user.username, client },
        ...teams.map(({ id, slug, name }) => ({
          id,
          kind: 'team' as const,
          slug,
          name,
          client: clientFor(id),
        })),
      ],
    }
  },
}

const Current = createContext<Account | undefined>(undefined)

export const AccountProvider = ({ account, children }: { account: Account; children: ReactNode }) => (
  <Current value={account}>{children}</Current>
)

/** Everybody the signed-in person may act for. */
export function useAccounts(): Accounts {
  const { data } = useSuspenseQuery(accountsQuery)
  if (data === null) throw new Error('Not signed in.')
  return data
}

/** The account whose page this is. */
export function useAccount(): Account {
  const account = use(Current)
  if (account === undefined) throw new Error('This page belongs to no account.')
  return account
}

/** The person's own account, for pages about themselves. */
export function usePersonal(): Account {
  return useAccounts().all[0] as Account
}

/** A parameter of the page's address. */
export function useParam(name: string): string {
  const params: Record<string, string | undefined> = useParams({ strict: false })
  return params[name] ?? ''
}
