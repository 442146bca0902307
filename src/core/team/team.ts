import type { Role } from '#contract/api/team.ts'
import { AloftError, invalidRequest } from '#contract/errors.ts'
import type { Plan } from '#contract/limit/limits.ts'
import { isReservedLabel } from '../alias/platform-names.ts'

export interface Team {
  readonly id: string
  readonly slug: string
  readonly name: string
  readonly creatorId: string
  readonly avatar: string | null
  readonly plan: Plan
  readonly softBlocked: boolean
  readonly membersMayEditProduction: boolean
  readonly createdAt: number
}

export interface Member {
  readonly userId: string
  readonly role: Role
  readonly email: string
  readonly username: string
}

const SLUG = /^[a-z][a-z0-9_-]{0,47}$/

export function readSlug(slug: string): string {
  if (!SLUG.test(slug))
    throw invalidRequest(
      '`slug` should start with a letter and have at most 48 characters of a-z, 0-9, `-` and `_`',
    )
  // `<project>.<slug>.<domain>` are names of the team.
  if (isReservedLabel(slug))
    throw new AloftError('slug_taken', `The slug \`${slug}\` is reserved by the platform.`, { slug })
  return slug
}

/** Names are shown in mails and pages: one line, no control characters. */
export function readTeamName(name: string): string {
  const trimmed = name.trim()
  if (trimmed === '' || /\p{Cc}/u.test(trimmed))
    throw invalidRequest('`name` should be text without control characters')
  return trimmed
}
