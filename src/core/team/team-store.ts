import type { Role } from '#contract/api/team.ts'
import type { Page, PageQuery } from '#contract/page.ts'
import type { Memberships } from '../access/authorise.ts'
import type { Member, Team } from './team.ts'

/**
 * Teams and their members. Slugs share one namespace with user names.
 * `insert` and `update` answer false when the slug is taken, and then nothing changed.
 */
export interface TeamStore extends Memberships {
  insert(team: Team, ownerId: string): Promise<boolean>
  byId(id: string): Promise<Team | undefined>
  bySlug(slug: string): Promise<Team | undefined>
  /** What a user is in those of these teams that they are a member of. */
  roles(userId: string, ids: readonly string[]): Promise<ReadonlyMap<string, Role>>
  listFor(userId: string, page: PageQuery): Promise<Page<Team>>
  update(
    id: string,
    change: Partial<Pick<Team, 'slug' | 'name' | 'plan' | 'softBlocked' | 'membersMayEditProduction'>>,
  ): Promise<boolean>
  /** Oldest membership first. */
  members(teamId: string): Promise<readonly Member[]>
  member(teamId: string, userId: string): Promise<Member | undefined>
  /** Answers false when the user is a member already, whose role then stays. */
  addMember(teamId: string, userId: string, role: Role, createdAt: number): Promise<boolean>
  setRole(teamId: string, userId: string, role: Role): Promise<void>
  removeMember(teamId: string, userId: string): Promise<void>
  /** Until the transaction ends, nobody else changes the members of this team. */
  lockMembers(teamId: string): Promise<void>
  countOwners(teamId: string): Promise<number>
}
