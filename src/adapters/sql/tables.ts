import type { Kysely } from 'kysely'
import type { Role } from '#contract/api/team.ts'
import type { Plan } from '#contract/limits.ts'
import type { TokenKind } from '#core/token/token.ts'

/** Only types that both databases store alike: text, whole numbers, and JSON as text. Times are ms. */
export type Flag = 0 | 1

export interface Tables {
  readonly handles: HandleTable
  readonly users: UserTable
  readonly teams: TeamTable
  readonly team_members: TeamMemberTable
  readonly tokens: TokenTable
  readonly logins: LoginTable
  readonly settings: SettingTable
  readonly jobs: JobTable
  readonly secrets: SecretTable
}

export type Db = Kysely<Tables>

/** The names that users and teams share: whoever holds the row holds the name. */
interface HandleTable {
  handle: string
  account_id: string
}

export interface UserTable {
  id: string
  email: string
  username: string
  name: string | null
  avatar: string | null
  plan: Plan
  soft_blocked: Flag
  operator: Flag
  created_at: number
}

export interface TeamTable {
  id: string
  slug: string
  name: string
  creator_id: string
  avatar: string | null
  plan: Plan
  soft_blocked: Flag
  members_may_edit_production: Flag
  created_at: number
}

interface TeamMemberTable {
  team_id: string
  user_id: string
  role: Role
  created_at: number
  /** A copy that never changes, so that one index holds a user's teams in their order. */
  team_created_at: number
}

interface TokenTable {
  id: string
  hash: string
  user_id: string
  name: string
  kind: TokenKind
  created_at: number
  active_at: number
  expires_at: number | null
}

interface LoginTable {
  id: string
  poll_hash: string
  link_hash: string
  email: string
  token_name: string
  security_code: string
  ip: string
  user_agent: string
  created_at: number
  expires_at: number
  accepted_at: number | null
}

interface SettingTable {
  key: string
  value: string
}

interface JobTable {
  id: string
  kind: string
  payload: string
  key: string | null
  created_at: number
  run_at: number
  /** When it can be claimed next: `run_at` while it waits, the end of the lease while it runs. */
  due_at: number
  attempts: number
  /** Who holds the lease; null while the job waits. */
  worker: string | null
  error: string | null
  /** Set once the job was given up. */
  failed_at: number | null
}

export interface SecretTable {
  id: string
  /** A user or a team. */
  owner_id: string
  name: string
  sealed: string
  creator_id: string
  created_at: number
}
