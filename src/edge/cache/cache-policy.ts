import { type HeaderList, textOf } from '../answer.ts'

/** For how long an answer may be given to everybody, in seconds. */
export interface CachePolicy {
  readonly maxAge: number
  /** For so much longer while a new one is made. */
  readonly staleFor: number
}

/** Of the answers that may be kept. */
const STATUSES: ReadonlySet<number> = new Set([200, 301, 302, 307, 308, 404, 410])
/** Meant for caches such as this one; the first that is there counts. */
export const TARGETED = ['vercel-cdn-cache-control', 'cdn-cache-control'] as const
const NOT_SHARED = /\b(?:private|no-store|no-cache)\b/i
/**
 * An answer that depends on who asks cannot be told from another by anything that may be kept; least of all by what a visitor
 * sends under the names by which the platform tells who and which request it is. Host and scheme are in the key.
 */
const PERSONAL =
  /(?:^|,)\s*(?:\*|cookie|authorization|forwarded|x-real-ip|x-forwarded-for|x-(?:aloft-request|invocation|platform|vercel)-id)\s*(?:,|$)/i

/** What an answer says of being kept for everybody; undefined where it must not be. */
export function policyOf(status: number, headers: HeaderList): CachePolicy | undefined {
  const targeted = TARGETED.map((name) => textOf(headers, name)).find((value) => value !== undefined)
  const said = targeted ?? textOf(headers, 'cache-control')
  if (said === undefined || NOT_SHARED.test(said)) return undefined
  const maxAge =
    secondsOf(said, 's-maxage') ?? (targeted === undefined ? undefined : secondsOf(said, 'max-age'))
  const staleFor = secondsOf(said, 'stale-while-revalidate') ?? 0
  if (maxAge === undefined || maxAge + staleFor === 0 || !STATUSES.has(status)) return undefined
  if (textOf(headers, 'set-cookie') !== undefined || textOf(headers, 'content-range') !== undefined)
    return undefined
  return PERSONAL.test(textOf(headers, 'vary') ?? '') ? undefined : { maxAge, staleFor }
}

/** The same of one that may say no more than that the copy of its visitor is good: it says it of that copy. */
export const policyOfCopy = (status: number, headers: HeaderList): CachePolicy | undefined =>
  policyOf(status === 304 ? 200 : status, headers)

const MOST_SECONDS = 10 * 365 * 86_400

/** What a directive of a cache-control says. */
export function secondsOf(said: string, directive: string): number | undefined {
  const found = new RegExp(`(?:^|[,\\s])${directive}\\s*=\\s*"?(\\d{1,12})`, 'i').exec(said)?.[1]
  return found === undefined ? undefined : Math.min(Number(found), MOST_SECONDS)
}

/** By which an answer can be revalidated, as functions and frameworks write them. */
const TAGS = ['x-vercel-cache-tags', 'vercel-cache-tag', 'cache-tag', 'x-next-cache-tags'] as const

export const tagsOf = (headers: HeaderList): readonly string[] =>
  TAGS.flatMap((name) => textOf(headers, name)?.split(',') ?? [])
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '')

export const NOT_FOR_VISITORS: ReadonlySet<string> = new Set([
  ...TAGS,
  'vercel-cdn-cache-control',
  'x-vercel-cache',
  'age',
])

/** What visitors are told of an answer that is kept here: how long we do is no concern of their browsers. */
export function shownHeaders(headers: HeaderList): readonly string[] {
  const shown: string[] = []
  let caching = ''
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const [name, value] = [headers[i] as string, headers[i + 1] as string | readonly string[]]
    if (NOT_FOR_VISITORS.has(name)) continue
    if (name === 'cache-control') caching = [caching, value].flat().filter(Boolean).join(', ')
    else for (const one of typeof value === 'string' ? [value] : value) shown.push(name, one)
  }
  return [...shown, 'cache-control', browserCaching(caching)]
}

const ASK_EACH_TIME = 'public, max-age=0, must-revalidate'

function browserCaching(said: string): string {
  const directives = said
    .split(',')
    .map((directive) => directive.trim())
    .filter((directive) => !/^(?:s-maxage|stale-while-revalidate|stale-if-error)\b/i.test(directive))
    .filter((directive) => directive !== '')
  return directives.length === 0 || directives.every((directive) => /^public$/i.test(directive))
    ? ASK_EACH_TIME
    : directives.join(', ')
}
