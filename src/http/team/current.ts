import { iso } from '#contract/time.ts'
import type { Member, Team } from '#core/team/team.ts'

export const team = (t: Team) => ({
  id: t.id,
  slug: t.slug,
  name: t.name,
  creatorId: t.creatorId,
  created: iso(t.createdAt),
  avatar: t.avatar,
  membersMayEditProduction: t.membersMayEditProduction,
})

export const updated = (t: Team) => ({
  id: t.id,
  slug: t.slug,
  name: t.name,
  creator_id: t.creatorId,
  creatorId: t.creatorId,
})

export const member = (m: Member) => ({ uid: m.userId, role: m.role, email: m.email, username: m.username })

export const invited = (m: Member) => ({ uid: m.userId, username: m.username })
