import type { RoutedRequest } from './routed-request.ts'

/** What the conditions of rules ask about a request, each found out when it is first asked. */
export interface RequestFacts {
  readonly host: string | undefined
  header(name: string): string | undefined
  cookie(name: string): string | undefined
}

export function factsOf({ host, header }: Pick<RoutedRequest, 'host' | 'header'>): RequestFacts {
  let cookies: ReadonlyMap<string, string> | undefined
  return {
    get host() {
      return host ?? withoutPort(header?.('host'))
    },
    header: (name) => header?.(name),
    cookie: (name) => {
      cookies ??= readCookies(header?.('cookie') ?? '')
      return cookies.get(name)
    },
  }
}

/** The first value of a key in a query, decoded. */
export const queryValue = (query: string, key: string): string | undefined =>
  query === '' ? undefined : (new URLSearchParams(query).get(key) ?? undefined)

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
