import { randomBytes } from 'node:crypto'
import { AloftError } from '#contract/errors.ts'
import type { Context } from '../access/context.ts'
import type { HostStore } from '../alias/host-store.ts'
import { proofHost } from '../domain/domain.ts'
import type { DomainStore } from '../domain/domain-store.ts'
import type { Project } from '../project/project.ts'
import { isRegistered, type OrderStore } from '../registrar/order.ts'
import type { TeamStore } from '../team/team-store.ts'
import type { DomainName } from './domain-name.ts'
import type { ProjectDomainStore } from './project-domain-store.ts'

export interface ClaimStores {
  readonly projectDomains: ProjectDomainStore
  readonly hosts: HostStore
  readonly domains: DomainStore
  readonly orders: Pick<OrderStore, 'find'>
  readonly teams: TeamStore
}

/** What a TXT record has to hold to show that a name may be taken from who has it. */
export const newChallenge = (name: string): string =>
  `${challengePrefix(name)}${randomBytes(10).toString('hex')}`

export const challengePrefix = (name: string): string => `platform-domain-verify=${name},`

/** Where the TXT record has to be. */
export const challengeHost = proofHost

const inUse = (name: string, projectId: string) =>
  new AloftError(
    'domain_already_in_use',
    `The domain \`${name}\` is already used by the project \`${projectId}\`.`,
    {
      projectId,
      domain: { name, projectId },
    },
  )

/**
 * Whether another account has a name, so that this one has to show that it may have it. Throws where the name cannot
 * be had like this.
 */
export async function isClaimed(
  stores: ClaimStores,
  ctx: Context,
  project: Project,
  wanted: DomainName,
): Promise<boolean> {
  const { name, isPlatform } = wanted
  const sibling = (await stores.projectDomains.holders(name)).find(
    ({ ownerId, projectId }) => ownerId === project.ownerId && projectId !== project.id,
  )
  if (sibling) throw inUse(name, sibling.projectId)
  if (isPlatform) {
    await checkPlatformName(stores, project, name)
    return false
  }
  const claimants = (await claimantsOf(stores, wanted)).filter((ownerId) => ownerId !== project.ownerId)
  for (const ownerId of claimants)
    if (await isCallersOther(stores.teams, ctx, ownerId))
      throw new AloftError('domain_already_exists', `\`${name}\` is in use by another of your accounts.`, {
        domain: { name },
      })
  return claimants.length > 0
}

/** Nobody can show that such a name is theirs: who has it keeps it. */
async function checkPlatformName(
  { hosts }: ClaimStores,
  { id, ownerId, defaultHost }: Project,
  name: string,
): Promise<void> {
  const taken = new AloftError('conflict', `\`${name}\` is taken.`, { domain: { name } })
  if (name === defaultHost) throw taken
  const holder = await hosts.holder(name)
  if (!holder) return
  if (holder.kind === 'deployment' || holder.ownerId !== ownerId) throw taken
  if (holder.projectId !== id) throw inUse(name, holder.projectId)
}

/** Accounts that visitors of the name are led to, that have shown that a domain above it is theirs, or bought it here. */
async function claimantsOf(stores: ClaimStores, { name, apexName }: DomainName): Promise<readonly string[]> {
  const shown = (await stores.projectDomains.holders(name)).filter(({ verified }) => verified)
  const holder = await stores.hosts.holder(name)
  const domain = await stores.domains.verifiedCovering(name)
  const order = await stores.orders.find(apexName)
  return [
    ...shown,
    ...(holder ? [holder] : []),
    ...(domain ? [domain] : []),
    ...(order && isRegistered(order) ? [order] : []),
  ].map(({ ownerId }) => ownerId)
}

/** The caller's own account while they act for a team, or a team of theirs while they act for themselves. */
async function isCallersOther(
  teams: TeamStore,
  { owner, actor: { user } }: Context,
  ownerId: string,
): Promise<boolean> {
  if (owner.kind === 'team') return ownerId === user.id
  return (await teams.member(ownerId, user.id)) !== undefined
}
