import type { Resolver } from '../ports/resolver.ts'
import type { Domain } from './domain.ts'
import { apexOf, parentOf } from './domain-name.ts'
import type { DnsState, Leads } from './inspect.ts'
import { proofTexts } from './proof-texts.ts'
import { unlessFailed } from './unless-failed.ts'

/** What visitors of a host are led to. */
export async function leadsOf(resolver: Resolver, host: string): Promise<Leads> {
  const [cname, a, aaaa] = await Promise.all([
    unlessFailed(resolver.cname(host)),
    unlessFailed(resolver.a(host)),
    unlessFailed(resolver.aaaa(host)),
  ])
  return { cname, addresses: a && aaaa && [...a.addresses, ...aaaa.addresses] }
}

/** The CAA records that hold for a name: of the first that has any, from the name up to what was registered. */
export async function caaOf(
  resolver: Resolver,
  name: string,
  apex: string,
): Promise<readonly string[] | undefined> {
  const names = [name]
  for (let above = name; above !== apex && above.includes('.'); ) {
    above = parentOf(above)
    names.push(above)
  }
  const lists = await Promise.all(names.map((each) => unlessFailed(resolver.caa(each))))
  for (const list of lists) if (list === undefined || list.length > 0) return list
  return []
}

/** The texts at a name, with the proof where that is at the name that was registered, which is as good. */
async function textsOf(
  resolver: Resolver,
  { name, token }: Pick<Domain, 'name' | 'token'>,
  apex: string,
): Promise<readonly string[] | undefined> {
  const [own, above] = await Promise.all(
    [name, apex].map((one) => unlessFailed(proofTexts(resolver, one, token))),
  )
  return above?.includes(token) && !own?.includes(token) ? [...(own ?? []), token] : own
}

/** Asks DNS for everything that matters to a domain. */
export async function findRecords(
  resolver: Resolver,
  domain: Pick<Domain, 'name' | 'token'>,
): Promise<DnsState> {
  const { name } = domain
  const apex = apexOf(name) ?? name
  const names = apex === name ? [name] : [name, apex]
  const first = async (ask: (one: string) => Promise<readonly string[]>) => {
    const lists = await Promise.all(names.map((one) => unlessFailed(ask(one))))
    return lists.find((list) => list !== undefined && list.length > 0) ?? lists[0]
  }
  const [nameservers, texts, lead, www, caa] = await Promise.all([
    first(resolver.ns),
    textsOf(resolver, domain, apex),
    leadsOf(resolver, name),
    leadsOf(resolver, `www.${name}`),
    caaOf(resolver, name, apex),
  ])
  return { nameservers, texts, name: lead, www, caa }
}
