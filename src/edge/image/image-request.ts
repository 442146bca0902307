import type { ImageConfig, LocalPattern, RemotePattern } from '#core/output/image-config.ts'
import { remembering } from '#core/remembering.ts'
import {
  matchPattern,
  type Pattern,
  readPattern,
  sizeError,
  toSubject,
  type WorkMeter,
  workOfRequest,
} from '#core/routing/pattern/pattern.ts'

/** Which image is asked for, in which size. */
export interface ImageRequest {
  /** A path of the site with its query, or an address elsewhere. */
  readonly url: string
  readonly isLocal: boolean
  readonly width: number
  readonly quality: number
}

const bad = (problem: string) => ({ problem })
const NOT_ALLOWED = '"url" parameter is not allowed'

/** What the query of a request for an image says, or what is wrong with it. */
export function readImageRequest(
  query: string,
  config: ImageConfig,
): ImageRequest | { readonly problem: string } {
  const parameters = new URLSearchParams(query)
  const url = parameters.get('url') ?? ''
  const w = parameters.get('w') ?? ''
  const q = parameters.get('q') ?? '75'
  if (url === '') return bad('"url" parameter is required')
  if (url.length > 3072) return bad('"url" parameter is too long')
  if (w === '') return bad('"w" parameter (width) is required')
  const [width, quality] = [Number(w), Number(q)]
  if (!/^\d{1,5}$/.test(w) || !config.sizes.includes(width))
    return bad(`"w" parameter (width) of ${w.slice(0, 10)} is not allowed`)
  if (!/^\d{1,3}$/.test(q) || quality < 1 || quality > 100)
    return bad('"q" parameter (quality) must be an integer between 1 and 100')
  if (config.qualities && !config.qualities.includes(quality))
    return bad(`"q" parameter (quality) of ${quality} is not allowed`)
  const where = url.startsWith('/') ? localUrl(url, config) : remoteUrl(url, config)
  return 'problem' in where ? where : { ...where, width, quality }
}

function localUrl(url: string, { localPatterns }: ImageConfig) {
  if (url.startsWith('//') || url.includes('\\') || /^\/(?:_next|_vercel)\/image(?:[/?#]|$)/.test(url))
    return bad(NOT_ALLOWED)
  const target = URL.parse(url, 'http://site')
  const meter = workOfRequest()
  if (target === null || localPatterns?.some((pattern) => isLocal(pattern, target, meter)) === false)
    return bad(NOT_ALLOWED)
  return { url: `${target.pathname}${target.search}`, isLocal: true }
}

function remoteUrl(url: string, { domains, remotePatterns }: ImageConfig) {
  const target = URL.parse(url)
  if (target === null || !/^https?:$/.test(target.protocol)) return bad('"url" parameter is invalid')
  const meter = workOfRequest()
  const isAllowed =
    domains.includes(target.hostname) || remotePatterns.some((pattern) => isRemote(pattern, target, meter))
  if (!isAllowed || target.username !== '' || target.password !== '') return bad(NOT_ALLOWED)
  return { url: target.href, isLocal: false }
}

const isLocal = ({ pathname, search }: LocalPattern, target: URL, meter: WorkMeter): boolean =>
  (search === undefined || search === target.search) && matches(pathname ?? '**', target.pathname, meter)

const isRemote = (pattern: RemotePattern, target: URL, meter: WorkMeter): boolean =>
  (pattern.protocol === undefined || `${pattern.protocol}:` === target.protocol) &&
  (pattern.port === undefined || pattern.port === target.port) &&
  matches(pattern.hostname, target.hostname, meter) &&
  isLocal(pattern, target, meter)

function matches(source: string, text: string, meter: WorkMeter): boolean {
  const pattern = patternOf(source)
  if (pattern === null) return false
  try {
    return matchPattern(pattern, toSubject(text), meter) !== undefined
  } catch {
    // Only the engine finds out that some are none.
    return false
  }
}

/** Null for a pattern that is none, or too large, which matches nothing. */
const patternOf = remembering(
  (pattern): Pattern | null => {
    // What frameworks make of wildcards looks ahead, for names that begin with a dot.
    const source = pattern.startsWith('^') ? pattern : globSource(pattern)
    const read = readPattern(source, { takesLookAround: true, isCaseSensitive: true, isForValues: true })
    return read.ok && sizeError(read.pattern) === undefined ? read.pattern : null
  },
  { most: 1000 },
)

const globSource = (glob: string): string =>
  glob.replace(/\*\*|\*|[.+?^${}()|[\]\\]/g, (sign) =>
    sign === '**' ? '.*' : sign === '*' ? '[^/.]*' : `\\${sign}`,
  )
