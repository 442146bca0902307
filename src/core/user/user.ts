import { AloftError } from '#contract/errors.ts'
import type { Plan } from '#contract/limit/limits.ts'

export interface User {
  readonly id: string
  readonly email: string
  readonly username: string
  readonly name: string | null
  readonly avatar: string | null
  readonly plan: Plan
  readonly softBlocked: boolean
  readonly operator: boolean
  readonly createdAt: number
}

const EMAIL = /^[^\s@<>()[\]\\,;:"\p{Cc}]{1,64}@[\p{L}\p{N}](?:[\p{L}\p{N}.-]*[\p{L}\p{N}])?$/u

/** Addresses are compared without case; anything that could break out of a mail header is refused. */
export function readEmail(text: string): string {
  const email = text.trim().toLowerCase()
  if (email.length > 254 || !EMAIL.test(email))
    throw new AloftError('invalid_email', 'Invalid request: `email` is not an email address.')
  return email
}

const HANDLE_MAX = 48

/** The part of a host name or path that a name becomes: ASCII, lower case, `-` between words. */
export const slugify = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+|-+$/g, '')

/** The username a new account starts with: the local part of its address. */
export const usernameFor = (email: string): string => {
  const slug = slugify(email.slice(0, email.lastIndexOf('@')))
  const handle = /^[a-z]/.test(slug) ? slug : `u-${slug}`
  // It ends a label of host names, which no dash may end.
  return handle.slice(0, HANDLE_MAX - 5).replace(/-+$/, '')
}
