import { namedByConnection } from '#core/connection-headers.ts'
import { remembering } from '#core/remembering.ts'
import type { RouteHeaders } from '#core/routing/match/route-outcome.ts'

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
  for (const [name, value] of routes)
    if (isPassed(name) && name !== 'content-length' && !isNamed(headers, name) && !isNamed(own, name))
      headers.push(name, value)
  headers.push(...own)
  return headers
}

function isNamed(headers: readonly string[], name: string): boolean {
  for (let i = 0; i < headers.length; i += 2) if (headers[i] === name) return true
  return false
}
