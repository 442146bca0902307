import { isRecord } from '../is-record.ts'

/** What images a site may have in other sizes, as a build output names it (`images` of version 3). */
export interface ImageConfig {
  readonly sizes: readonly number[]
  readonly qualities?: readonly number[]
  /** In the order of preference; the image's own type where a visitor takes none of them. */
  readonly formats: readonly string[]
  readonly domains: readonly string[]
  readonly remotePatterns: readonly RemotePattern[]
  /** Absent: every path of the site. */
  readonly localPatterns?: readonly LocalPattern[]
  /** Seconds. */
  readonly minimumCacheTTL: number
  readonly dangerouslyAllowSVG: boolean
  readonly contentSecurityPolicy?: string
  readonly contentDispositionType?: 'inline' | 'attachment'
}

/** Regular expressions where they begin with `^`, else text with `*` and `**`. */
export interface RemotePattern extends LocalPattern {
  readonly protocol?: 'http' | 'https'
  readonly hostname: string
  readonly port?: string
}

export interface LocalPattern {
  readonly pathname?: string
  readonly search?: string
}

type Fields = Readonly<Record<string, unknown>>

const MOST = 100
const LONGEST = 1024
const WIDEST = 16_384
const YEAR = 31_536_000

const listOf = <T>(value: unknown, isOne: (item: unknown) => item is T): readonly T[] =>
  Array.isArray(value) ? value.filter(isOne).slice(0, MOST) : []

const isText = (item: unknown): item is string => typeof item === 'string' && item.length <= LONGEST

const isCount =
  (max: number) =>
  (item: unknown): item is number =>
    Number.isInteger(item) && (item as number) >= 1 && (item as number) <= max

/** The texts of these names, without those that are not there. */
const textsOf = (fields: Fields, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.flatMap((name) => (isText(fields[name]) ? [[name, fields[name]]] : [])))

function remotePattern(fields: Fields): RemotePattern[] {
  const { hostname, protocol, ...rest } = textsOf(fields, [
    'hostname',
    'protocol',
    'port',
    'pathname',
    'search',
  ])
  const scheme = protocol?.replace(/:$/, '')
  if (hostname === undefined || (scheme !== undefined && scheme !== 'http' && scheme !== 'https')) return []
  return [{ ...rest, hostname, ...(scheme === undefined ? {} : { protocol: scheme }) }]
}

/** What a build has written, without what cannot be meant; undefined where no size is named. */
export function readImageConfig(value: unknown): ImageConfig | undefined {
  if (!isRecord(value)) return undefined
  const sizes = listOf(value.sizes, isCount(WIDEST))
  if (sizes.length === 0) return undefined
  const { minimumCacheTTL: ttl, contentDispositionType: disposition, contentSecurityPolicy: policy } = value
  return {
    sizes,
    ...(Array.isArray(value.qualities) ? { qualities: listOf(value.qualities, isCount(100)) } : {}),
    formats: listOf(value.formats, isText),
    domains: listOf(value.domains, isText),
    remotePatterns: listOf(value.remotePatterns, isRecord).flatMap(remotePattern),
    ...(Array.isArray(value.localPatterns)
      ? {
          localPatterns: listOf(value.localPatterns, isRecord).map((one) =>
            textsOf(one, ['pathname', 'search']),
          ),
        }
      : {}),
    minimumCacheTTL: typeof ttl === 'number' && ttl >= 0 ? Math.min(ttl, YEAR) : 60,
    dangerouslyAllowSVG: value.dangerouslyAllowSVG === true,
    ...(isText(policy) ? { contentSecurityPolicy: policy.replace(/[^\x20-\x7e]/g, '') } : {}),
    ...(disposition === 'inline' || disposition === 'attachment'
      ? { contentDispositionType: disposition }
      : {}),
  }
}
