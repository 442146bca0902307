import type { Encoding } from '#core/negotiation/encoding.ts'
import type { RouteHeaders } from '#core/routing/match/route-outcome.ts'
import { contentTypeOf, isCompressible } from '#core/site/content-type.ts'
import type { Site, SiteFile } from '#core/site/site.ts'
import { withoutNamesOf } from '../answer.ts'
import type { Http2Head } from '../fast/http2/http2-head.ts'
import type { WirePlace } from '../fast/wires.ts'
import { ownCookies } from '../function/own-cookies.ts'
import type { Content } from './content-store.ts'

/** All that is known of an answer with a file's content before a visitor's headers are. Made once for a path. */
export interface FileAnswer {
  readonly file: SiteFile
  /** The file's path, with a leading slash. */
  readonly foundAt: string
  readonly status: number
  readonly contentType: string
  /** Headers that every form of the answer has, one without a body too. */
  readonly headers: readonly string[]
  readonly compressible: boolean
  /** The forms that were made ready; a form that is not worth it is `hopeless`. */
  readonly representations: Partial<Record<Encoding, Representation | 'hopeless'>>
  /** Heads of answers that say that a client's copy is good, by its tag. */
  readonly notModifiedHeads: Map<string, string>
}

/** One form of a file's answer: as it is, or compressed in one of the ways that clients understand. */
export interface Representation {
  readonly tag: string
  readonly length: number
  /** All headers of the answer with this body. */
  readonly headers: readonly string[]
  /** Undefined when the content is too large to be held: it is then streamed, as it is. */
  readonly content: Content | undefined
  /** Of an answer over HTTP/1.1, once it was asked for: all that is the same each time. */
  head: string | undefined
  /** Where a whole answer over HTTP/1.1 is kept, once there was need for one. */
  place: WirePlace | undefined
  /** The head of an answer over HTTP/2, once it was asked for. */
  http2Head: Http2Head | 'unfit' | undefined
}

/** The client may keep it, but asks each time whether it is still right; so a new deployment shows at once. */
export const DEFAULT_CACHING = 'public, max-age=0, must-revalidate'

/** Headers of ours: what a route says about them would make the answer wrong. */
const OWN = new Set([
  'accept-ranges',
  'cache-control',
  'content-length',
  'content-range',
  'content-type',
  'etag',
  'vary',
])

export function createFileAnswer(
  site: Site,
  found: { readonly target: SiteFile; readonly foundAt: string },
  status: number,
  routeHeaders: RouteHeaders,
): FileAnswer {
  const contentType =
    routeHeaders.get('content-type') ?? found.target.contentType ?? contentTypeOf(found.foundAt)
  const caching = routeHeaders.get('cache-control') ?? DEFAULT_CACHING
  const compressible =
    isCompressible(contentType) && !routeHeaders.has('content-encoding') && !/\bno-transform\b/i.test(caching)
  return {
    file: found.target,
    foundAt: found.foundAt,
    status,
    contentType,
    headers: ownCookies(
      [
        ...['cache-control', caching],
        ...varyHeader(routeHeaders.get('vary'), compressible),
        ...siteHeaders(site),
        ...withoutNamesOf(siteHeaders(site), flatHeaders(routeHeaders, OWN)),
      ],
      site,
    ),
    compressible,
    representations: {},
    notModifiedHeads: new Map(),
  }
}

/** What every answer has from us, and what only the protocol itself may say. */
const RESERVED = /^(?:date|http2-settings|x-platform-.*|x-vercel-(?:id|error))$/

/** The headers of routes, names and values in turn, as far as they are theirs to set. */
export const flatHeaders = (headers: RouteHeaders, without?: ReadonlySet<string>): readonly string[] =>
  [...headers].filter(([name]) => !RESERVED.test(name) && !without?.has(name)).flat()

/** What every answer of a site carries. */
export const siteHeaders = (site: Site): readonly string[] =>
  site.environment === 'preview' ? ['x-robots-tag', 'noindex'] : []

function varyHeader(given: string | undefined, compressible: boolean): readonly string[] {
  if (!compressible) return given === undefined ? [] : ['vary', given]
  if (given === undefined) return ['vary', 'accept-encoding']
  return [
    'vary',
    /(?:^|,)\s*(?:accept-encoding|\*)\s*(?:,|$)/i.test(given) ? given : `accept-encoding, ${given}`,
  ]
}
