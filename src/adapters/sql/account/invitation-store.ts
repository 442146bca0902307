import type { Selectable } from 'kysely'
import type { Role } from '#contract/api/team.ts'
import type { Invitation, InvitationStore } from '#core/team/invitation.ts'
import { changedOne } from '../database/changed-one.ts'
import type { Db, Tables } from '../tables.ts'

const INVITATION = ['id', 'team_id', 'email', 'role', 'inviter_id', 'created_at', 'expires_at'] as const

const toInvitation = (
  row: Pick<Selectable<Tables['invitations']>, (typeof INVITATION)[number]>,
): Invitation => ({
  id: row.id,
  teamId: row.team_id,
  email: row.email,
  role: row.role as Role,
  inviterId: row.inviter_id,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
})

export function createInvitationStore(db: Db): InvitationStore {
  return {
    async add({ id, teamId, email, role, inviterId, createdAt, expiresAt }, hash) {
      const changed = {
        ...{ id, role, hash },
        ...{ inviter_id: inviterId, created_at: createdAt, expires_at: expiresAt },
      }
      await db
        .insertInto('invitations')
        .values({ ...changed, team_id: teamId, email })
        .onConflict((conflict) => conflict.columns(['team_id', 'email']).doUpdateSet(changed))
        .execute()
    },

    async byHash(hash) {
      const [row] = await db.selectFrom('invitations').select(INVITATION).where('hash', '=', hash).execute()
      return row && toInvitation(row)
    },

    async ofTeam(teamId, at) {
      const rows = await db
        .selectFrom('invitations')
        .select(INVITATION)
        .where('team_id', '=', teamId)
        .where('expires_at', '>', at)
        .execute()
      return rows.map(toInvitation).sort((a, b) => b.createdAt - a.createdAt)
    },

    take: (teamId, id) =>
      changedOne(db.deleteFrom('invitations').where('id', '=', id).where('team_id', '=', teamId)),

    async prune(before) {
      await db.deleteFrom('invitations').where('expires_at', '<=', before).execute()
    },
  }
}
