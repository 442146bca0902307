import type { Selectable } from 'kysely'
import type { User } from '#core/user/user.ts'
import type { UserTable } from '../tables.ts'

export const USER = [
  'users.id',
  'users.email',
  'users.username',
  'users.name',
  'users.avatar',
  'users.plan',
  'users.soft_blocked',
  'users.operator',
  'users.created_at',
] as const

export const toUser = (row: Selectable<UserTable>): User => ({
  id: row.id,
  email: row.email,
  username: row.username,
  name: row.name,
  avatar: row.avatar,
  plan: row.plan,
  softBlocked: row.soft_blocked === 1,
  operator: row.operator === 1,
  createdAt: row.created_at,
})
