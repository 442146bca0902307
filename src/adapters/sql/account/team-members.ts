import type { Role } from '#contract/api/team.ts'
import type { Member } from '#core/team/team.ts'
import type { TeamStore } from '#core/team/team-store.ts'
import { changedOne } from '../database/changed-one.ts'
import { prepare } from '../database/prepare.ts'
import { atomically } from '../database/transaction.ts'
import type { Db } from '../tables.ts'

type TeamMembers = Pick<
  TeamStore,
  'members' | 'member' | 'addMember' | 'setRole' | 'removeMember' | 'lockMembers' | 'countOwners'
>

const MEMBER = ['team_members.user_id', 'team_members.role', 'users.email', 'users.username'] as const

const toMember = (row: { user_id: string; role: Role; email: string; username: string }): Member => ({
  userId: row.user_id,
  role: row.role,
  email: row.email,
  username: row.username,
})

const membersOf = (db: Db, teamId: string) =>
  db
    .selectFrom('team_members')
    .innerJoin('users', 'users.id', 'team_members.user_id')
    .select(MEMBER)
    .where('team_members.team_id', '=', teamId)

const selectMembers = prepare<{ teamId: string }>()((db, { teamId }) =>
  membersOf(db, teamId).orderBy('team_members.created_at').orderBy('team_members.user_id'),
)
const selectMember = prepare<{ teamId: string; userId: string }>()((db, { teamId, userId }) =>
  membersOf(db, teamId).where('team_members.user_id', '=', userId),
)

/**
 * Until the transaction ends, others who lock the team wait; false when there is none.
 * Writing what is there already is a lock that every database knows.
 */
export async function lockTeam(db: Db, teamId: string): Promise<boolean> {
  return changedOne(
    db
      .updateTable('teams')
      .set((eb) => ({ name: eb.ref('name') }))
      .where('id', '=', teamId),
  )
}

/** The members of teams. Whatever changes them locks their team first, and so respects the lock of others. */
export function createTeamMembers(db: Db): TeamMembers {
  return {
    members: async (teamId) => (await selectMembers(db, { teamId })).map(toMember),

    async member(teamId, userId) {
      const [row] = await selectMember(db, { teamId, userId })
      return row && toMember(row)
    },

    addMember: (teamId, userId, role, createdAt) =>
      atomically(db, async (tx) => {
        if (!(await lockTeam(tx, teamId))) return false
        return changedOne(
          tx
            .insertInto('team_members')
            .values((eb) => ({
              team_id: teamId,
              user_id: userId,
              role,
              created_at: createdAt,
              team_created_at: eb
                .selectFrom('teams')
                .select('teams.created_at')
                .where('teams.id', '=', teamId),
            }))
            .onConflict((conflict) => conflict.columns(['team_id', 'user_id']).doNothing()),
        )
      }),

    setRole: (teamId, userId, role) =>
      atomically(db, async (tx) => {
        await lockTeam(tx, teamId)
        await tx
          .updateTable('team_members')
          .set({ role })
          .where('team_id', '=', teamId)
          .where('user_id', '=', userId)
          .execute()
      }),

    removeMember: (teamId, userId) =>
      atomically(db, async (tx) => {
        await lockTeam(tx, teamId)
        await tx
          .deleteFrom('team_members')
          .where('team_id', '=', teamId)
          .where('user_id', '=', userId)
          .execute()
      }),

    async lockMembers(teamId) {
      await lockTeam(db, teamId)
    },

    async countOwners(teamId) {
      const { owners } = await db
        .selectFrom('team_members')
        .select((eb) => eb.fn.countAll<number>().as('owners'))
        .where('team_id', '=', teamId)
        .where('role', '=', 'OWNER')
        .executeTakeFirstOrThrow()
      return owners
    },
  }
}
