import { createPrivateKey, X509Certificate } from 'node:crypto'
import { HOUR } from '#contract/time.ts'
import type { Clock } from '#core/ports/clock.ts'
import type { Authority } from './authority.ts'
import {
  alternativeNames,
  authorityKey,
  distinguishedName,
  ofServer,
  signCertificate,
  subjectKey,
  subjectOf,
} from './certificate.ts'
import { createKeyPair } from './keys.ts'
import { subjectNames } from './subject-names.ts'

interface IssuedCertificate {
  /** The certificate followed by the authority's. */
  readonly cert: string
  readonly key: string
  readonly notAfter: number
}

interface IssueOptions {
  readonly days?: number
}

export interface LocalIssuer {
  /** Host names, with or without a leading `*.`, and IP addresses. The key is new each time. */
  issue(names: readonly string[], options?: IssueOptions): Promise<IssuedCertificate>
}

const DAYS = 90
/** What a common name may hold; longer names are in the alternative names alone. */
const COMMON_NAME = 64

/** Issues from an authority made by `createAuthority`. Throws at once when its key is not its certificate's. */
export function createLocalIssuer({
  certPem,
  keyPem,
  clock,
  forClients = false,
}: Authority & {
  readonly clock: Clock /** Certificates prove who connects, too. */
  readonly forClients?: boolean
}): LocalIssuer {
  const authority = new X509Certificate(certPem)
  const signingKey = createPrivateKey(keyPem)
  if (!authority.checkPrivateKey(signingKey))
    throw new TypeError('The authority key does not belong to its certificate')
  const expires = authority.validToDate.getTime()
  const issuer = subjectOf(authority)
  const common = [
    ...ofServer(forClients),
    authorityKey(authority.publicKey.export({ type: 'spki', format: 'der' })),
  ]

  return {
    async issue(names, { days = DAYS } = {}) {
      const subjects = subjectNames(names)
      const now = clock.now()
      if (now >= expires) throw new Error(`The local authority expired on ${authority.validTo}`)
      const { publicKey, pem } = await createKeyPair()
      const commonName = subjects.find(({ value }) => value.length <= COMMON_NAME)?.value
      // Clients refuse what outlives its authority; and a certificate knows no milliseconds.
      const notAfter = Math.min(Math.floor((now + days * 24 * HOUR) / 1000) * 1000, expires)
      const cert = signCertificate({
        ...{ issuer, signingKey, publicKey, notAfter },
        subject: distinguishedName(commonName),
        notBefore: now - HOUR,
        extensions: [
          ...common,
          alternativeNames(subjects, { critical: commonName === undefined }),
          subjectKey(publicKey),
        ],
      })
      return { cert: cert + certPem, key: pem, notAfter }
    },
  }
}
