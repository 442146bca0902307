import type { RequestFacts } from './request-facts.ts'

/** Where visitors of a language are sent. */
export interface LocaleRule {
  /** By language tag in lower case. */
  readonly redirects: ReadonlyMap<string, string>
  readonly cookie: string | undefined
}

const MAX_LOCALES = 1000
const MAX_LENGTH = 2048
const LOCATION = /^(?:https?:\/)?\/[!-~]*$/

/** A string is the reason why it cannot be used. */
export function readLocale(given: unknown): LocaleRule | undefined | string {
  if (given === undefined) return undefined
  if (typeof given !== 'object' || given === null) return 'must be an object'
  const { redirect = {}, cookie }: { redirect?: unknown; cookie?: unknown } = given
  if (typeof redirect !== 'object' || redirect === null) return 'must have an object of locations as redirect'
  if (cookie !== undefined && typeof cookie !== 'string') return 'must have a string as cookie'
  const redirects = new Map<string, string>()
  for (const [language, location] of Object.entries(redirect)) {
    if (typeof location !== 'string' || location.length > MAX_LENGTH || !LOCATION.test(location))
      return `cannot send ${JSON.stringify(language.slice(0, 40))} there: it must be a path or a URL`
    redirects.set(language.toLowerCase(), location)
  }
  return redirects.size > MAX_LOCALES
    ? `has ${redirects.size} languages; at most ${MAX_LOCALES} are allowed`
    : { redirects, cookie }
}

/** Where the visitor wants to be: as the cookie says, else as the browser's languages do. */
export function preferredLocation(
  { redirects, cookie }: LocaleRule,
  facts: RequestFacts,
): string | undefined {
  const chosen = cookie === undefined ? undefined : facts.cookie(cookie)
  for (const language of [...(chosen === undefined ? [] : [chosen]), ...facts.languages()]) {
    const location = redirects.get(language.toLowerCase())
    if (location !== undefined) return location
  }
  return undefined
}
