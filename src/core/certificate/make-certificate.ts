import { newId } from '#contract/ids.ts'
import type { BeforeOrder, CertificateIssuer } from '../ports/certificate-issuer.ts'
import type { Clock } from '../ports/clock.ts'
import type { Transact } from '../ports/transact.ts'
import type { Vault } from '../ports/vault.ts'
import type { UsageStores } from '../usage/quotas.ts'
import { type Certificate, keyPurpose } from './certificate.ts'
import type { CertificateContent, CertificateStore } from './certificate-store.ts'
import { timesOf } from './certificate-times.ts'
import type { HeldDomains, NameCheck } from './check-names.ts'

/** A certificate with its key in the open, on the way from where it was made to where it is kept. */
interface FreshCertificate extends Pick<Certificate, 'names' | 'cert' | 'expiresAt' | 'renewAt'> {
  readonly key: string
}

export async function askIssuer(
  issuer: CertificateIssuer,
  names: readonly string[],
  signal: AbortSignal,
  beforeOrder?: BeforeOrder,
): Promise<FreshCertificate> {
  const { cert, key } = await issuer.issue(names, signal, beforeOrder)
  return { names, cert, key, ...timesOf(cert) }
}

interface KeepStores extends UsageStores {
  readonly certificates: CertificateStore
  readonly domains: HeldDomains
}

interface KeepParts {
  readonly transact: Transact<KeepStores>
  readonly check: Pick<NameCheck, 'held'>
  readonly vault: Vault
  readonly clock: Clock
  /** Tells every process that the certificates of these names are others now. */
  readonly onChanged: (names: readonly string[]) => void
}

export interface KeepCertificate {
  /**
   * Under the id of the one that the account has for the same names, or a new one. An automatic one never takes the
   * place of one that is good still. Any other is refused where the domain of a name was deleted meanwhile. `admit` throws
   * where the account may have no more of them.
   */
  save(
    ownerId: string,
    source: Certificate['source'],
    fresh: FreshCertificate,
    admit?: (stores: UsageStores) => Promise<void>,
  ): Promise<Certificate>
  /** In the place of this very one; nothing when that was changed or removed meanwhile. */
  renew(old: Certificate, fresh: FreshCertificate): Promise<Certificate | undefined>
}

export function createKeepCertificate({
  transact,
  check,
  vault,
  clock,
  onChanged,
}: KeepParts): KeepCertificate {
  const contentOf = (
    id: string,
    source: Certificate['source'],
    { key, ...fresh }: FreshCertificate,
  ): CertificateContent => ({
    ...fresh,
    sealedKey: vault.seal(key, keyPurpose(id)),
    source,
    autoRenew: source !== 'uploaded',
  })

  return {
    async save(ownerId, source, fresh, admit) {
      const id = newId.certificate()
      const added = { id, ownerId, createdAt: clock.now(), ...contentOf(id, source, fresh) }
      const saved = await transact(async (stores) => {
        const { certificates, domains } = stores
        if (source !== 'automatic') await check.held(domains, ownerId, fresh.names)
        if (admit && !(await certificates.withNames(ownerId, fresh.names))) await admit(stores)
        if (await certificates.add(added)) return added
        const known = await certificates.withNames(ownerId, fresh.names)
        if (!known) throw new Error('a certificate was removed while its replacement was being stored')
        if (source === 'automatic' && known.expiresAt > clock.now()) return known
        const content = contentOf(known.id, source, fresh)
        await certificates.replace(known.id, content)
        return { ...known, ...content }
      })
      onChanged(fresh.names)
      return saved
    },

    async renew(old, fresh) {
      const content = contentOf(old.id, old.source, fresh)
      const renewed = await transact(async ({ certificates }) => {
        const current = await certificates.find(old.ownerId, old.id)
        return current?.cert === old.cert && certificates.replace(old.id, content)
      })
      if (!renewed) return undefined
      onChanged(fresh.names)
      return { ...old, ...content }
    },
  }
}
