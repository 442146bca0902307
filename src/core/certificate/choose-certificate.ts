import type { HostHolder, HostStore } from '../alias/host-store.ts'
import type { DomainStore } from '../domain/domain-store.ts'
import type { Clock } from '../ports/clock.ts'
import type { Vault } from '../ports/vault.ts'
import { bestFor } from './best-certificate.ts'
import { keyPurpose } from './certificate.ts'
import { wildcardOver } from './certificate-name.ts'
import type { CertificateStore } from './certificate-store.ts'
import type { AutomaticCertificates } from './issue/automatic-certificates.ts'

/** Who serves a host: itself, or the wildcard over it. */
const holderOf = async (
  hosts: Pick<HostStore, 'holder'>,
  host: string,
): Promise<{ readonly host: string; readonly holder: HostHolder } | undefined> => {
  for (const name of [host, wildcardOver(host)]) {
    const holder = await hosts.holder(name)
    if (holder) return { host: name, holder }
  }
  return undefined
}

interface ChooseParts {
  readonly store: Pick<CertificateStore, 'forHost'>
  readonly hosts: Pick<HostStore, 'holder'>
  readonly domains: Pick<DomainStore, 'verifiedCovering'>
  readonly vault: Vault
  readonly clock: Clock
  readonly automatic: Pick<AutomaticCertificates, 'onDemand'>
}

export type ChooseCertificate = (
  host: string,
) => Promise<{ readonly cert: string; readonly key: string } | undefined>

/**
 * The certificate for a host outside the platform's domain: one of the account that serves it, or has verified its
 * domain. A host that is served and has none gets one.
 */
export function createChooseCertificate(parts: ChooseParts): ChooseCertificate {
  const { store, hosts, domains, vault, clock, automatic } = parts

  return async (host) => {
    const served = await holderOf(hosts, host)
    const ownerId = served?.holder.ownerId ?? (await domains.verifiedCovering(host))?.ownerId
    if (ownerId === undefined) return undefined
    const candidates = (await store.forHost(host)).filter((candidate) => candidate.ownerId === ownerId)
    const best = bestFor(host, candidates, clock.now()) ?? (served && (await automatic.onDemand(served.host)))
    return best && { cert: best.cert, key: vault.open(best.sealedKey, keyPurpose(best.id)) }
  }
}
