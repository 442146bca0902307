import { namedByConnection } from '#core/connection-headers.ts'
import { remembering } from '#core/remembering.ts'
import type { HeaderTransform, RouteHeaders } from '#core/routing/match/route-outcome.ts'
import type { HeaderList } from '../answer.ts'
import { transformResponse } from './header-transform.ts'

/** Headers of an instance's answer that do not go further. */
const NOT_PASSED =
  /^(?:connection|date|http2-settings|keep-alive|proxy-(?:authenticate|connection)|te|trailer|transfer-encoding|upgrade|x-(?:platform|aloft|middleware)-.*)$/
const isPassed = remembering((name) => !NOT_PASSED.test(name), { most: 2000, longest: 64 })

const EMPTY: ReadonlySet<string> = new Set()

/**
 * What a visitor gets of an answer's headers, names and values in turn. Those of the routes fill in what the
 * function did not say, and `own` are over both.
 */
export function visitorHeaders(
  sent: readonly string[],
  routes: RouteHeaders,
  own: readonly string[],
): string[] {
  const headers: string[] = []
  let named: ReadonlySet<string> = EMPTY
  for (let i = 0; i < sent.length; i += 2)
    if (sent[i] === 'connection') named = namedByConnection((sent[i + 1] as string).toLowerCase()) ?? named
  for (let i = 0; i < sent.length; i += 2) {
    const name = sent[i] as string
    if (isPassed(name) && !named.has(name) && !isNamed(own, name)) headers.push(name, sent[i + 1] as string)
  }
  headers.push(...unsaid(routes, headers, own), ...own)
  return headers
}

/** Those of the routes that neither an answer nor we have said. */
function unsaid(routes: RouteHeaders, said: HeaderList, own: readonly string[]): readonly string[] {
  if (routes.size === 0) return NONE
  const headers: string[] = []
  for (const [name, value] of routes)
    if (isPassed(name) && name !== 'content-length' && !isNamed(said, name) && !isNamed(own, name))
      headers.push(name, value)
  return headers
}

const NONE: readonly string[] = []

/** The headers of an answer that is a visitor's but for these, which the routes say to them. */
export function laidOver(
  headers: HeaderList,
  {
    headers: routes,
    transforms,
  }: { readonly headers: RouteHeaders; readonly transforms?: readonly HeaderTransform[] },
): HeaderList {
  const all = routes.size === 0 ? headers : [...headers, ...unsaid(routes, headers, NONE)]
  return transforms === undefined ? all : transformResponse(all, transforms)
}

function isNamed(headers: HeaderList, name: string): boolean {
  for (let i = 0; i < headers.length; i += 2) if (headers[i] === name) return true
  return false
}
