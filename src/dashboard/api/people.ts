import { listMembers } from '#contract/api/team.ts'
import { useAccount, useAccounts } from './account.tsx'
import { useLater } from './query.ts'

/** Everybody of a team, or the one person. Those of a team are there a moment later. */
export function usePeople(): readonly { readonly id: string; readonly name: string }[] {
  const account = useAccount()
  const { user } = useAccounts()
  const { data } = useLater(
    'member',
    listMembers,
    { params: { id: account.id } },
    { enabled: account.kind === 'team' },
  )
  return (
    data?.map(({ uid, username }) => ({ id: uid, name: username })) ?? [{ id: user.id, name: user.username }]
  )
}

/** Names of people by their ids. */
export function useNames(): (userId: string) => string | undefined {
  const people = usePeople()
  return (userId) => people.find(({ id }) => id === userId)?.name
}
