import { isWithin } from '#client/hosts.ts'
import { useAllDomains } from '../api/lists.ts'

/** Which hosts are in a domain that the account has verified. Others may lead here, or not yet. */
export function useIsProven(): (host: string) => boolean {
  const verified = (useAllDomains() ?? []).filter((domain) => domain.verified).map(({ name }) => name)
  return (host) => isWithin(host, verified)
}
