export interface Hosts {
  readonly alias: readonly string[]
  readonly url: string | null
}

/** Whether a host is one of the installation's own, which always works. */
export function isOwnHost(host: string, url: string | null): boolean {
  const platform = url?.slice(url.indexOf('.')) ?? ''
  return platform !== '' && host.endsWith(platform)
}

/**
 * Where a deployment is found: first at custom domains that are known to work, then at the shortest name that the
 * installation gave it. Domains that may not lead here yet come last, so that nobody is sent to one.
 */
export function hostsOf({ alias, url }: Hosts, isProven: (host: string) => boolean): readonly string[] {
  const rank = (host: string) => (isOwnHost(host, url) ? 1 : isProven(host) ? 0 : 2)
  const given = alias.toSorted((a, b) => rank(a) - rank(b) || a.length - b.length || (a < b ? -1 : 1))
  return given.length > 0 || url === null ? given : [url]
}

/** Whether a host is in one of these domains. */
export const isWithin = (host: string, domains: readonly string[]): boolean =>
  domains.some((domain) => host === domain || host.endsWith(`.${domain}`))
