import { isWithin } from '#client/hosts.ts'
import { listDomains } from '#contract/api/domain.ts'
import { useLater } from '../api/query.ts'

/** Which hosts are in a domain that the account has verified. Others may lead here, or not yet. */
export function useIsProven(): (host: string) => boolean {
  const { data } = useLater('domain', listDomains, { query: { limit: 100 } })
  const verified = (data?.domains ?? []).filter((domain) => domain.verified).map(({ name }) => name)
  return (host) => isWithin(host, verified)
}
