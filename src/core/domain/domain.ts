import type { SERVICE_TYPES } from '#contract/api/domain.ts'
import { newDomainToken, newId } from '#contract/ids.ts'
/** A name that an account holds or says it holds. Several may claim a name; one at most has proved it. */
export interface Domain {
  readonly id: string
  readonly ownerId: string
  /** The user who added it. */
  readonly creatorId: string
  /** In punycode, lower-case, without a dot at the end. */
  readonly name: string
  /** What was asked for when it was added; what it is follows from its nameservers. */
  readonly serviceWish: ServiceType | null
  /** The text that a TXT record on `_platform.<name>` has to hold. */
  readonly token: string
  /** Where the name is delegated to, as last seen. */
  readonly nameservers: readonly string[]
  readonly nsVerifiedAt: number | null
  readonly txtVerifiedAt: number | null
  readonly boughtAt: number | null
  readonly expiresAt: number | null
  readonly transferStartedAt: number | null
  readonly transferredAt: number | null
  /** When its records were last looked up. */
  readonly checkedAt: number | null
  readonly createdAt: number
}

/** A domain of which nothing is known yet. */
export const newDomain = (
  given: Pick<Domain, 'ownerId' | 'creatorId' | 'name' | 'serviceWish'>,
  now: number,
): Domain => ({
  ...given,
  id: newId.domain(),
  token: newDomainToken(),
  nameservers: [],
  nsVerifiedAt: null,
  txtVerifiedAt: null,
  boughtAt: null,
  expiresAt: null,
  transferStartedAt: null,
  transferredAt: null,
  checkedAt: null,
  createdAt: now,
})

export type ServiceType = (typeof SERVICE_TYPES)[number]

/** Whether the account has shown that the name is its own. A record that is lost later changes nothing. */
export const isVerified = (
  domain: Pick<Domain, 'nsVerifiedAt' | 'txtVerifiedAt' | 'boughtAt' | 'transferredAt'>,
): boolean =>
  domain.nsVerifiedAt !== null ||
  domain.txtVerifiedAt !== null ||
  domain.boughtAt !== null ||
  domain.transferredAt !== null

/** Who answers for the name: we do once it is delegated to us, or was bought here. */
export const serviceTypeOf = (
  { nameservers, boughtAt, transferredAt }: Pick<Domain, 'nameservers' | 'boughtAt' | 'transferredAt'>,
  intended: readonly string[],
): ServiceType => {
  if (boughtAt !== null || transferredAt !== null) return 'provider.world'
  return isDelegated(nameservers, intended) ? 'provider.world' : 'external'
}

/** Two of our nameservers make a name ours to answer for, or the only one where there is one. */
export const isDelegated = (nameservers: readonly string[], intended: readonly string[]): boolean =>
  intended.length > 0 &&
  intended.filter((server) => nameservers.includes(server)).length >= Math.min(2, intended.length)

/** Whether a name is known to be answered for by others. */
export const isElsewhere = (
  nameservers: readonly string[] | undefined,
  intended: readonly string[],
): boolean => nameservers !== undefined && nameservers.length > 0 && !isDelegated(nameservers, intended)

/** Where the text that verifies a name has to be. */
export const proofHost = (name: string): string => `_platform.${name}`

/** The name and everything above it that could be held: `a.b.example.com` → itself, `b.example.com`, `example.com`. */
export const heldNames = (host: string): readonly string[] => {
  const labels = host.replace(/^\*\./, '').split('.')
  return labels.slice(0, -1).map((_, i) => labels.slice(i).join('.'))
}
