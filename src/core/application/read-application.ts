import { invalidRequest } from '#contract/errors.ts'
import { SCOPES } from '#contract/scopes.ts'
import type { Allows } from '../outbound/allowed-addresses.ts'
import { readUrl } from '../outbound/read-url.ts'
import { type Application, PERMISSIONS, type Scopes } from './application.ts'

/** An application as it is asked for. */
export interface ApplicationRequest {
  readonly name: string
  readonly slug?: string
  readonly redirectUrl: string
  readonly webhookUrl?: string | null
  readonly scopes: Scopes
  readonly note?: string | null
}

type Checked = Pick<Application, 'name' | 'slug' | 'redirectUrl' | 'webhookUrl' | 'scopes' | 'note'>

const MAX_URL = 2048
const SLUG = /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/

/** What was said, checked; what was not said is left out. */
export function readApplication(request: Partial<ApplicationRequest>, allows: Allows): Partial<Checked> {
  const { name, slug, redirectUrl, webhookUrl, scopes, note } = request
  return {
    ...(name === undefined ? {} : { name: readLine('name', name) }),
    ...(slug === undefined ? {} : { slug: readSlug(slug) }),
    ...(redirectUrl === undefined ? {} : { redirectUrl: readRedirectUrl(redirectUrl) }),
    ...(webhookUrl === undefined
      ? {}
      : { webhookUrl: webhookUrl === null ? null : readUrl(webhookUrl, allows) }),
    ...(scopes === undefined ? {} : { scopes: readScopes(scopes) }),
    ...(note === undefined ? {} : { note: note === null || note === '' ? null : readLine('note', note) }),
  }
}

/** Names and notes are shown in mails and pages: one line, no control characters. */
function readLine(what: string, text: string): string {
  const trimmed = text.trim()
  if (trimmed === '' || /\p{Cc}/u.test(trimmed) || !trimmed.isWellFormed())
    throw invalidRequest(`\`${what}\` should be one line of text`)
  return trimmed
}

function readSlug(slug: string): string {
  if (!SLUG.test(slug)) throw invalidRequest('`slug` should contain at most 64 of a-z, 0-9 and `-`')
  return slug
}

/** Close to a name; empty names become `app`. */
export const slugFor = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 50)
    .replace(/^-+|-+$/g, '') || 'app'

/** Kept as it was written, because what a client sends has to be the same to the letter. */
function readRedirectUrl(text: string): string {
  const url = URL.parse(text)
  const refuse = (why: string) => invalidRequest(`\`redirectUrl\` ${why}`)
  if (text.length > MAX_URL) throw refuse(`is longer than ${MAX_URL} characters`)
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:') || /\s|\p{Cc}/u.test(text))
    throw refuse('should be a URL that starts with `https://` or `http://`')
  if (url.username !== '' || url.password !== '') throw refuse('should not contain a password')
  if (text.includes('#')) throw refuse('should not have a fragment')
  return text
}

function readScopes(scopes: Scopes): Scopes {
  const given = Object.entries(scopes)
  const unknown = given.find(([scope]) => !(SCOPES as readonly string[]).includes(scope))
  if (unknown) throw invalidRequest(`there is no scope \`${unknown[0].slice(0, 100)}\``)
  if (given.some(([, permission]) => !PERMISSIONS.includes(permission)))
    throw invalidRequest('the permission of a scope should be `read` or `read-write`')
  if (given.length === 0) throw invalidRequest('`scopes` should name at least one scope')
  // In the order that people know, whatever order they came in.
  return Object.fromEntries(
    SCOPES.flatMap((scope) => (scopes[scope] === undefined ? [] : [[scope, scopes[scope]]])),
  )
}
