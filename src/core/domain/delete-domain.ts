import { AloftError } from '#contract/errors.ts'
import type { AliasRow } from '../alias/alias.ts'
import type { HostStore } from '../alias/host-store.ts'
import type { CertificateStore } from '../certificate/certificate-store.ts'
import type { Domain } from './domain.ts'
import type { DomainStore } from './domain-store.ts'

interface DeleteStores {
  readonly domains: DomainStore
  readonly hosts: HostStore
  readonly certificates: Pick<CertificateStore, 'inDomain'>
}

const PAGE = 100
/** How many of what is in the way are named. */
const NAMED = 100

/** The aliases that need the domain: those that no longer name which the account holds is above of. */
async function* aliasesIn({ domains, hosts }: DeleteStores, domain: Domain): AsyncGenerator<AliasRow> {
  let until: number | null | undefined
  while (until !== null) {
    const range = until === undefined ? {} : { until }
    const page = await hosts.list(domain.ownerId, { limit: PAGE, ...range }, { domain: domain.name })
    for (const alias of page.items)
      if ((await domains.covering(domain.ownerId, alias.host))?.id === domain.id) yield alias
    until = page.pagination.next
  }
}

const listed = (names: readonly string[]) =>
  `${names
    .slice(0, 3)
    .map((name) => `\`${name}\``)
    .join(', ')}${names.length > 3 ? ', …' : ''}`

/**
 * Deletes a domain with its records, in the caller's transaction. Certificates that somebody asked for are in the
 * way, and so are aliases unless they go too. Answers the hosts that lead nowhere from now on.
 */
export async function deleteDomain(
  stores: DeleteStores,
  domain: Domain,
  { withAliases }: { readonly withAliases: boolean },
): Promise<readonly string[]> {
  const certificates = (await stores.certificates.inDomain(domain.ownerId, domain.name)).filter(
    ({ source }) => source !== 'automatic',
  )
  if (certificates.length > 0) {
    const certCNs = [...new Set(certificates.flatMap(({ names }) => names))].slice(0, NAMED)
    throw new AloftError(
      'conflict_certs',
      `Certificates of \`${domain.name}\` have to be removed first: ${listed(certCNs)}.`,
      { certCNs },
    )
  }
  const aliases: AliasRow[] = []
  for await (const alias of aliasesIn(stores, domain)) {
    aliases.push(alias)
    if (!withAliases && aliases.length === NAMED) break
  }
  if (aliases.length > 0 && !withAliases)
    throw new AloftError(
      'conflict_aliases',
      `Aliases of \`${domain.name}\` have to be removed first: ${listed(aliases.map(({ host }) => host))}.`,
      { aliases: aliases.map(({ id }) => id) },
    )
  for (const { host } of aliases) await stores.hosts.release(host)
  await stores.domains.remove(domain.id)
  return aliases.map(({ host }) => host)
}
