import { qualityOf } from '../../negotiation/quality.ts'
import type { WorkMeter } from '../pattern/pattern.ts'
import type { RoutedRequest } from './routed-request.ts'

/** What the conditions of rules ask about a request, each found out when it is first asked. */
export interface RequestFacts {
  readonly host: string | undefined
  header(name: string): string | undefined
  cookie(name: string): string | undefined
  /** The first value of a key in a query, decoded. Rules may change the query, which is then read again. */
  query(query: string, key: string, meter: WorkMeter): string | undefined
  /** The visitor's, the most wanted first, each followed by the language without its region. */
  languages(): readonly string[]
}

export function factsOf({ host, header }: Pick<RoutedRequest, 'host' | 'header'>): RequestFacts {
  let cookies: ReadonlyMap<string, string> | undefined
  let last: { readonly query: string; readonly values: ReadonlyMap<string, string> } | undefined
  let languages: readonly string[] | undefined
  return {
    get host() {
      return host ?? withoutPort(header?.('host'))
    },
    header: (name) => header?.(name),
    cookie: (name) => {
      cookies ??= readCookies(header?.('cookie') ?? '')
      return cookies.get(name)
    },
    query: (query, key, meter) => {
      if (query === '') return undefined
      if (last?.query !== query) {
        meter.left -= query.length
        last = { query, values: readQuery(query) }
      }
      return last.values.get(key)
    },
    languages: () => {
      languages ??= readLanguages(header?.('accept-language') ?? '')
      return languages
    },
  }
}

function readQuery(query: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>()
  for (const [key, value] of new URLSearchParams(query)) if (!values.has(key)) values.set(key, value)
  return values
}

/** How many languages of a visitor are looked at. */
const MAX_LANGUAGES = 32

function readLanguages(accepted: string): readonly string[] {
  const languages = accepted.split(',', MAX_LANGUAGES).map((preferred) => {
    const [tag = '', ...parameters] = preferred.trim().split(';')
    return { tag: tag.trim(), quality: qualityOf(parameters) }
  })
  return languages
    .filter(({ tag, quality }) => tag !== '' && quality > 0)
    .toSorted((a, b) => b.quality - a.quality)
    .flatMap(({ tag }) => (tag.includes('-') ? [tag, tag.slice(0, tag.indexOf('-'))] : [tag]))
}

const withoutPort = (host: string | undefined): string | undefined => host?.replace(/:\d+$/, '')

/** The first cookie of a name counts. */
function readCookies(header: string): ReadonlyMap<string, string> {
  const cookies = new Map<string, string>()
  for (const pair of header.split(';')) {
    const at = pair.indexOf('=')
    if (at < 0) continue
    const name = pair.slice(0, at).trim()
    if (!cookies.has(name)) cookies.set(name, decodeCookie(pair.slice(at + 1).trim()))
  }
  return cookies
}

function decodeCookie(value: string): string {
  const bare = value.startsWith('"') && value.endsWith('"') && value.length > 1 ? value.slice(1, -1) : value
  try {
    return decodeURIComponent(bare)
  } catch {
    return bare
  }
}
