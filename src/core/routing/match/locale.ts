import { decodePath } from '../url/request-path.ts'
import type { RequestFacts } from './request-facts.ts'

/** Where visitors of a language are sent. */
export interface LocaleRule {
  /** By language tag in lower case. */
  readonly redirects: ReadonlyMap<string, LocaleTarget>
  readonly cookie: string | undefined
}

interface LocaleTarget {
  /** As the rule says it: a path or a URL. */
  readonly location: string
  /** Undefined where it is the one that the visitor is at. */
  readonly host: string | undefined
  /** As `decodePath` returns it. */
  readonly path: string
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
  const redirects = new Map<string, LocaleTarget>()
  for (const [language, location] of Object.entries(redirect)) {
    if (typeof location !== 'string' || location.length > MAX_LENGTH || !LOCATION.test(location))
      return `cannot send ${JSON.stringify(language.slice(0, 40))} there: it must be a path or a URL`
    const target = targetOf(location)
    if (target === undefined)
      return `cannot send ${JSON.stringify(language.slice(0, 40))} there: it is no URL`
    redirects.set(language.toLowerCase(), target)
  }
  return redirects.size > MAX_LOCALES
    ? `has ${redirects.size} languages; at most ${MAX_LOCALES} are allowed`
    : { redirects, cookie }
}

function targetOf(location: string): LocaleTarget | undefined {
  const url = URL.parse(location, 'http://here')
  if (url === null) return undefined
  const isElsewhere = !location.startsWith('/') || location.startsWith('//')
  return { location, host: isElsewhere ? url.hostname : undefined, path: decodePath(url.pathname) }
}

/**
 * Where the visitor wants to be, as the cookie says, else as the browser's languages do; undefined where they are there. `paths`
 * are where they are: what they have asked for and what rules have made of it.
 */
export function preferredLocation(
  { redirects, cookie }: LocaleRule,
  facts: RequestFacts,
  paths: readonly string[],
): string | undefined {
  const chosen = cookie === undefined ? undefined : facts.cookie(cookie)
  for (const language of [...(chosen === undefined ? [] : [chosen]), ...facts.languages()]) {
    const target = redirects.get(language.toLowerCase())
    if (target === undefined) continue
    const isHere = (target.host === undefined || target.host === facts.host) && paths.includes(target.path)
    return isHere ? undefined : target.location
  }
  return undefined
}
