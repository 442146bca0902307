import { ApiError } from '#client/api-error.ts'
import type { Client } from '#client/client.ts'
import { everyPage } from '#client/every-page.ts'
import { type Hosts, isOwnHost, isWithin } from '#client/hosts.ts'
import { listDomains } from '#contract/api/domain.ts'

/**
 * Which hosts are in a domain that the account has verified: only those are worth sending somebody to. The domains are
 * asked for only where there are custom ones; to a token that may not read them none is verified.
 */
export async function readProven(api: Client, places: readonly Hosts[]): Promise<(host: string) => boolean> {
  if (places.every(({ alias, url }) => alias.every((host) => isOwnHost(host, url)))) return () => false
  try {
    const domains = await everyPage(
      (query) => api.call(listDomains, { query }),
      (page) => page.domains,
    )
    const verified = domains.filter((domain) => domain.verified).map(({ name }) => name)
    return (host) => isWithin(host, verified)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return () => false
  }
}
