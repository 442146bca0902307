import { AloftError } from '#contract/errors.ts'
import type { Alias } from '../alias/alias.ts'
import type { CertificateStore } from '../certificate/certificate-store.ts'
import { type SyncStores, syncCrons } from '../cron/sync-crons.ts'
import type { EventQueue, NewEvent } from '../event/event.ts'
import type { ShowStores } from '../names/show-domain.ts'
import type { ProjectDomain } from '../project-domain/project-domain.ts'
import { removeFromProject } from '../project-domain/remove-from-project.ts'
import type { Domain } from './domain.ts'
import { apexOf } from './domain-name.ts'
import type { DomainStore } from './domain-store.ts'

export interface DeleteStores extends ShowStores, Pick<SyncStores, 'crons' | 'jobs'> {
  readonly domains: DomainStore
  readonly certificates: Pick<CertificateStore, 'inDomain'>
  readonly events: EventQueue
}

export interface DeleteRules {
  /** Whether aliases and the domains of projects go too. They are in the way otherwise. */
  readonly withAliases: boolean
}

const PAGE = 100
/** How many of what is in the way are named. */
const NAMED = 100

/**
 * Whether a host needs the domain: it is the longest name above it that the account has verified. One that it only
 * claims allows nothing, and is asked for where there is no other.
 */
async function needs({ domains }: DeleteStores, domain: Domain, host: string): Promise<boolean> {
  const verified = await domains.verifiedCovering(host)
  const own = verified?.ownerId === domain.ownerId ? verified : await domains.covering(domain.ownerId, host)
  return own?.id === domain.id
}

async function needsAny(stores: DeleteStores, domain: Domain, hosts: readonly string[]): Promise<boolean> {
  for (const host of hosts) if (await needs(stores, domain, host)) return true
  return false
}

/** The aliases that need the domain. */
async function* aliasesIn(stores: DeleteStores, domain: Domain): AsyncGenerator<Alias> {
  let until: number | null | undefined
  while (until !== null) {
    const range = until === undefined ? {} : { until }
    const page = await stores.hosts.list(domain.ownerId, { limit: PAGE, ...range }, { domain: domain.name })
    for (const alias of page.items) if (await needs(stores, domain, alias.host)) yield alias
    until = page.pagination.next
  }
}

/** The domains of projects that need it, whether they show something or not. */
async function* projectDomainsIn(stores: DeleteStores, domain: Domain): AsyncGenerator<ProjectDomain> {
  const apexName = apexOf(domain.name)
  let after: string | undefined = apexName === undefined ? undefined : ''
  while (apexName !== undefined && after !== undefined) {
    const found = await stores.projectDomains.inApex(domain.ownerId, apexName, after, PAGE)
    for (const one of found) if (one.verified && (await needs(stores, domain, one.name))) yield one
    after = found.length < PAGE ? undefined : found.at(-1)?.name
  }
}

const listed = (names: readonly string[]) =>
  `${names
    .slice(0, 3)
    .map((name) => `\`${name}\``)
    .join(', ')}${names.length > 3 ? ', …' : ''}`

async function checkCertificates(stores: DeleteStores, domain: Domain): Promise<void> {
  const { ownerId, name } = domain
  const asked: string[] = []
  for (const { source, names } of await stores.certificates.inDomain(ownerId, name))
    if (source !== 'automatic' && (await needsAny(stores, domain, names))) asked.push(...names)
  if (asked.length === 0) return
  const certCNs = [...new Set(asked)].slice(0, NAMED)
  throw new AloftError(
    'conflict_certs',
    `Certificates of \`${name}\` must be removed first: ${listed(certCNs)}.`,
    { certCNs },
  )
}

async function checkHosts(stores: DeleteStores, domain: Domain): Promise<void> {
  const aliases: string[] = []
  const hosts = new Set<string>()
  for await (const { id, host } of aliasesIn(stores, domain)) {
    aliases.push(id)
    hosts.add(host)
    if (aliases.length === NAMED) break
  }
  for await (const { name } of projectDomainsIn(stores, domain)) {
    if (hosts.size >= NAMED) break
    hosts.add(name)
  }
  if (hosts.size > 0)
    throw new AloftError(
      'conflict_aliases',
      `Aliases of \`${domain.name}\` must be removed first: ${listed([...hosts])}.`,
      { aliases },
    )
}

/**
 * Deletes a domain with its records, in the caller's transaction. Certificates that somebody asked for are in the
 * way. Answers the hosts that show something else from now on; nothing where somebody else has just deleted it.
 */
export async function deleteDomain(
  stores: DeleteStores,
  { id }: Pick<Domain, 'id'>,
  { withAliases }: DeleteRules,
  cause: Pick<NewEvent, 'userId' | 'at'>,
): Promise<readonly string[] | undefined> {
  // Whoever is about to use it is done first, or finds that it is gone.
  const domain = await stores.domains.lock(id)
  if (!domain) return undefined
  await checkCertificates(stores, domain)
  if (!withAliases) await checkHosts(stores, domain)
  const changed = new Set<string>()
  // Before the aliases, because projects show something else under those that sent their visitors there.
  for await (const one of projectDomainsIn(stores, domain))
    for (const host of [one.name, ...((await removeFromProject(stores, one, cause)) ?? [])]) changed.add(host)
  const aliases: Alias[] = []
  for await (const alias of aliasesIn(stores, domain)) aliases.push(alias)
  for (const { host } of aliases) {
    await stores.hosts.release(host)
    changed.add(host)
  }
  const shown = aliases.filter(({ production }) => production).map(({ projectId }) => projectId)
  for (const projectId of [...new Set(shown)].sort()) {
    const project = await stores.projects.lock(domain.ownerId, projectId)
    if (project) await syncCrons(stores, project, cause.at)
  }
  return (await stores.domains.remove(domain.id)) ? [...changed] : undefined
}
