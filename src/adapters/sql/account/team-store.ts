import type { Selectable } from 'kysely'
import type { Team } from '#core/team/team.ts'
import type { TeamStore } from '#core/team/team-store.ts'
import { flag, hasColumns } from '../database/columns.ts'
import { readPage } from '../database/page.ts'
import { prepare } from '../database/prepare.ts'
import { textsIn } from '../database/text-list.ts'
import { atomically } from '../database/transaction.ts'
import type { Db, TeamTable } from '../tables.ts'
import { moveHandle, takeHandle } from './handles.ts'
import { createTeamMembers, lockTeam } from './team-members.ts'

const TEAM = [
  'teams.id',
  'teams.slug',
  'teams.name',
  'teams.creator_id',
  'teams.avatar',
  'teams.plan',
  'teams.soft_blocked',
  'teams.members_may_edit_production',
  'teams.created_at',
] as const

const toTeam = (row: Selectable<TeamTable>): Team => ({
  id: row.id,
  slug: row.slug,
  name: row.name,
  creatorId: row.creator_id,
  avatar: row.avatar,
  plan: row.plan,
  softBlocked: row.soft_blocked === 1,
  membersMayEditProduction: row.members_may_edit_production === 1,
  createdAt: row.created_at,
})

const selectById = prepare<{ id: string }>()((db, { id }) =>
  db.selectFrom('teams').select(TEAM).where('id', '=', id),
)
const selectBySlug = prepare<{ slug: string }>()((db, { slug }) =>
  db.selectFrom('teams').select(TEAM).where('slug', '=', slug),
)

const memberships = (db: Db) =>
  db.selectFrom('team_members').innerJoin('teams', 'teams.id', 'team_members.team_id').select(TEAM)

const selectMembershipById = prepare<{ userId: string; id: string }>()((db, { userId, id }) =>
  memberships(db)
    .select('team_members.role')
    .where('team_members.team_id', '=', id)
    .where('team_members.user_id', '=', userId),
)
const selectMembershipBySlug = prepare<{ userId: string; slug: string }>()((db, { userId, slug }) =>
  memberships(db)
    .select('team_members.role')
    .where('teams.slug', '=', slug)
    .where('team_members.user_id', '=', userId),
)
const selectRoles = prepare<{ userId: string; ids: string }>()((db, { userId, ids }) =>
  db
    .selectFrom('team_members')
    .select(['team_id', 'role'])
    .where('user_id', '=', userId)
    .where('team_id', 'in', textsIn(db, ids)),
)
const selectTeamsOf = prepare<{ userId: string; before: number; after: number; limit: number }>()(
  (db, { userId, before, after, limit }) =>
    memberships(db)
      .where('team_members.user_id', '=', userId)
      .where('team_members.team_created_at', '<', before)
      .where('team_members.team_created_at', '>', after)
      .orderBy('team_members.team_created_at', 'desc')
      .orderBy('team_members.team_id', 'desc')
      .limit(limit),
)

export function createTeamStore(db: Db): TeamStore {
  return {
    ...createTeamMembers(db),

    insert: (team, ownerId) =>
      atomically(db, async (tx) => {
        if (!(await takeHandle(tx, team.slug, team.id))) return false
        await tx
          .insertInto('teams')
          .values({
            id: team.id,
            slug: team.slug,
            name: team.name,
            creator_id: team.creatorId,
            avatar: team.avatar,
            plan: team.plan,
            soft_blocked: flag(team.softBlocked),
            members_may_edit_production: flag(team.membersMayEditProduction),
            created_at: team.createdAt,
          })
          .execute()
        await createTeamMembers(tx).addMember(team.id, ownerId, 'OWNER', team.createdAt)
        return true
      }),

    async byId(id) {
      const [row] = await selectById(db, { id })
      return row && toTeam(row)
    },

    async bySlug(slug) {
      const [row] = await selectBySlug(db, { slug })
      return row && toTeam(row)
    },

    async membership(userId, by) {
      const [row] = await ('id' in by
        ? selectMembershipById(db, { userId, id: by.id })
        : selectMembershipBySlug(db, { userId, slug: by.slug }))
      return row && { team: toTeam(row), role: row.role }
    },

    async roles(userId, ids) {
      const rows = await selectRoles(db, { userId, ids: JSON.stringify(ids) })
      return new Map(rows.map(({ team_id, role }) => [team_id, role]))
    },

    listFor: (userId, page) =>
      readPage(page, {
        select: (range) => selectTeamsOf(db, { userId, ...range }),
        timeOf: (row) => row.created_at,
        show: toTeam,
      }),

    update: (id, { slug, name, plan, softBlocked, membersMayEditProduction }) =>
      atomically(db, async (tx) => {
        if (!(await lockTeam(tx, id))) return false
        if (slug !== undefined && !(await moveHandle(tx, slug, id))) return false
        const columns = {
          slug,
          name,
          plan,
          soft_blocked: flag(softBlocked),
          members_may_edit_production: flag(membersMayEditProduction),
        }
        if (hasColumns(columns)) await tx.updateTable('teams').set(columns).where('id', '=', id).execute()
        return true
      }),
  }
}
