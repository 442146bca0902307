import type { UserStore } from '../user/user-store.ts'
import type { TeamStore } from './team-store.ts'

export interface PeopleStores {
  readonly teams: Pick<TeamStore, 'members'>
  readonly users: Pick<UserStore, 'byId'>
}

/** The addresses of those who answer for an account: the user, or the OWNERs of the team. */
export async function addressesOf({ teams, users }: PeopleStores, ownerId: string): Promise<string[]> {
  const user = await users.byId(ownerId)
  if (user) return [user.email]
  const members = await teams.members(ownerId)
  return members.filter(({ role }) => role === 'OWNER').map(({ email }) => email)
}
