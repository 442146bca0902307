import type { Role } from '#contract/api/team.ts'
import { DAY } from '#contract/time.ts'

/** Somebody was asked to join a team, by a mail whose link works once. */
export interface Invitation {
  readonly id: string
  readonly teamId: string
  readonly email: string
  readonly role: Role
  readonly inviterId: string
  readonly createdAt: number
  readonly expiresAt: number
}

export const INVITATION_LIFE = 7 * DAY

/** Invitations that nobody has accepted yet, by the hash of the link's token. */
export interface InvitationStore {
  /** In the place of an earlier one of the same address, whose link works no more. */
  add(invitation: Invitation, hash: string): Promise<void>
  byHash(hash: string): Promise<Invitation | undefined>
  /** Those of a team that have not expired at this time, the newest first. */
  ofTeam(teamId: string, at: number): Promise<readonly Invitation[]>
  /** Removes one; only one caller is ever told true. */
  take(teamId: string, id: string): Promise<boolean>
  prune(before: number): Promise<void>
}
