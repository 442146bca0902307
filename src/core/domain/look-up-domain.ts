import type { Resolver } from '../ports/resolver.ts'
import { type Domain, isDelegated } from './domain.ts'
import { apexOf } from './domain-name.ts'
import { proofTexts } from './proof-texts.ts'
import { unlessFailed } from './unless-failed.ts'

/** What DNS says of a domain. */
export interface DnsFindings {
  /** Where it is delegated to; undefined when nobody could say. */
  readonly nameservers: readonly string[] | undefined
  /** The texts where the token should be. */
  readonly texts: readonly string[]
  readonly byNameservers: boolean
  readonly byText: boolean
  /** Whether some of it could not be asked for. */
  readonly failed: boolean
}

/**
 * Looks for the proof on the name and on the name it was registered as. A name without nameservers of its own
 * has those of the other.
 */
export async function lookUpDomain(
  resolver: Pick<Resolver, 'ns' | 'txt'>,
  { name, token }: Pick<Domain, 'name' | 'token'>,
  intended: readonly string[],
): Promise<DnsFindings> {
  const apex = apexOf(name) ?? name
  const names = apex === name ? [name] : [name, apex]
  const [servers, texts] = await Promise.all([
    Promise.all(names.map((one) => unlessFailed(resolver.ns(one)))),
    Promise.all(names.map((one) => unlessFailed(proofTexts(resolver, one, token)))),
  ])
  const own = servers.find((list) => list !== undefined && list.length > 0)
  const all = texts.flatMap((list) => list ?? [])
  return {
    nameservers: own ?? (servers.includes(undefined) ? undefined : []),
    texts: all,
    byNameservers: servers.some((list) => list !== undefined && isDelegated(list, intended)),
    byText: all.includes(token),
    failed: [...servers, ...texts].includes(undefined),
  }
}
