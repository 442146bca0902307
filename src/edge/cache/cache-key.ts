import { hash } from 'node:crypto'
import type { PrerenderKey } from '#core/ports/prerender-cache.ts'
import type { Site } from '#core/site/site.ts'
import { headerOf, type Question } from '../answer.ts'
import type { RouteWords } from './kept-headers.ts'

/** What tells one kept answer from another, before anything is known of what it varies by. */
export interface CacheKeyParts {
  readonly site: Site
  /** What answers: the path of a function, or the address that is rewritten to. */
  readonly by: string
  /** Path and query as the visitor has asked and the routes have changed them. */
  readonly url: string
  readonly scheme: string
  /** The host as the visitor has sent it, with its port: what answers may put it into what it says. */
  readonly authority: string
  /** What the routes say that is kept with the answer (see `keptOf`): it may be for something that the visitor has sent. */
  readonly said?: Pick<RouteWords, 'status' | 'headers'>
  readonly question: Question
}

/**
 * Of one deployment and one of its hosts: what is protected at one is never given to visitors of another. Nor is what was made for
 * somebody who spells the host in another way, or adds a port that is not ours, given to those who do not. `own`: earlier versions
 * kept answers of functions and rewrites with all that the routes had said to one visitor.
 */
export const keyOf = ({ site, by, url, scheme, authority, said }: CacheKeyParts): PrerenderKey => ({
  deploymentId: site.deploymentId,
  path: `edge ${said === undefined ? '' : 'own '}${scheme}://${site.host}${authority === site.host ? '' : `@${authority}`} ${by}`,
  query: said === undefined ? url : `${url}${nameOfWords(said)}`,
})

const nameOfWords = ({ status, headers }: Pick<RouteWords, 'status' | 'headers'>): string =>
  status === undefined && headers.size === 0
    ? ''
    : `\n${hash('sha256', JSON.stringify([status ?? 0, ...headers]))}`

/** Where it is noted that something of a deployment has let an answer be kept. */
export const markOf = ({ deploymentId }: Site, by: string): PrerenderKey => ({
  deploymentId,
  path: 'edge kept',
  query: by,
})

/** The answer for visitors who send the same values of these headers. */
export const variantOf = (key: PrerenderKey, vary: readonly string[], question: Question): PrerenderKey => ({
  ...key,
  query: `${key.query}\n${JSON.stringify(vary.map((name) => [name, headerOf(question, name) ?? '']))}`,
})

/** The names in `vary`, in a fixed order. Encodings are made here, unless the answer came in one. */
export const varyNames = (vary: string | undefined, isEncoded: boolean): readonly string[] => {
  const names = (vary ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
  const wanted = new Set(names.filter((name) => name !== '' && name !== 'accept-encoding'))
  if (isEncoded) wanted.add('accept-encoding')
  return [...wanted].sort()
}

/** The tag that every kept answer of a path has. */
export const pathTag = (path: string): string => `path:${path}`

const NEVER_ASKED =
  /^(?:cookie|authorization|range|if-.*|accept-encoding|content-length|transfer-encoding|x-prerender-revalidate|forwarded|x-real-ip)$/

/** What the platform may say of a visitor when it asks on behalf of everybody. */
export function neutralHeaders({ headers }: Question): Map<string, string> {
  const neutral = new Map<string, string>()
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined && !NEVER_ASKED.test(name))
      neutral.set(name, typeof value === 'string' ? value : value.join(', '))
  return neutral
}
