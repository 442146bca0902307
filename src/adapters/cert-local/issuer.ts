import { createPrivateKey, X509Certificate as NodeCertificate, webcrypto } from 'node:crypto'
import type { Extension, Name } from '@peculiar/x509'
import type { Clock } from '#core/ports/clock.ts'
import type { Authority } from './authority.ts'
import { ALGORITHM, createKeyPair, importSigningKey, randomSerial } from './keys.ts'
import { toPem } from './pem.ts'
import { subjectNames } from './subject-names.ts'
import { x509 } from './x509.ts'

export interface IssuedCertificate {
  /** The certificate followed by the authority's. */
  readonly cert: string
  readonly key: string
  readonly notAfter: number
}

export interface IssueOptions {
  readonly days?: number
}

export interface LocalIssuer {
  /** Host names, with or without a leading `*.`, and IP addresses. The key is new each time. */
  issue(names: readonly string[], options?: IssueOptions): Promise<IssuedCertificate>
}

const HOUR = 3_600_000
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
  const authority = new NodeCertificate(certPem)
  if (!authority.checkPrivateKey(createPrivateKey(keyPem)))
    throw new TypeError('The authority key does not belong to its certificate')
  const expires = authority.validToDate.getTime()
  let signer: Promise<Signer> | undefined

  return {
    async issue(names, { days = DAYS } = {}) {
      const subjects = subjectNames(names)
      const now = clock.now()
      if (now >= expires) throw new Error(`The local authority expired on ${authority.validTo}`)
      signer ??= createSigner(certPem, keyPem, forClients)
      const { signingKey, issuer, extensions } = await signer
      const { SubjectAlternativeNameExtension, SubjectKeyIdentifierExtension, X509CertificateGenerator } =
        x509()
      const { pair, pem } = await createKeyPair()
      const commonName = subjects.find(({ value }) => value.length <= COMMON_NAME)?.value
      // Clients refuse what outlives its authority; and a certificate knows no milliseconds.
      const notAfter = Math.min(Math.floor((now + days * 24 * HOUR) / 1000) * 1000, expires)
      const certificate = await X509CertificateGenerator.create(
        {
          serialNumber: randomSerial(),
          subject: commonName === undefined ? [] : [{ CN: [commonName] }],
          issuer,
          notBefore: new Date(now - HOUR),
          notAfter: new Date(notAfter),
          publicKey: pair.publicKey,
          signingKey,
          signingAlgorithm: ALGORITHM,
          extensions: [
            ...extensions,
            // Without a subject the alternative names are the identity, and must be marked critical.
            new SubjectAlternativeNameExtension(subjects, commonName === undefined),
            await SubjectKeyIdentifierExtension.create(pair.publicKey, false, webcrypto),
          ],
        },
        webcrypto,
      )
      return { cert: toPem('CERTIFICATE', certificate.rawData) + certPem, key: pem, notAfter }
    },
  }
}

interface Signer {
  readonly signingKey: webcrypto.CryptoKey
  readonly issuer: Name
  /** Those that are the same in every certificate. */
  readonly extensions: readonly Extension[]
}

async function createSigner(certPem: string, keyPem: string, forClients: boolean): Promise<Signer> {
  const {
    AuthorityKeyIdentifierExtension,
    BasicConstraintsExtension,
    ExtendedKeyUsage,
    ExtendedKeyUsageExtension,
    KeyUsageFlags,
    KeyUsagesExtension,
    X509Certificate,
  } = x509()
  const authority = new X509Certificate(certPem)
  return {
    signingKey: await importSigningKey(keyPem),
    issuer: authority.subjectName,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([
        ExtendedKeyUsage.serverAuth,
        ...(forClients ? [ExtendedKeyUsage.clientAuth] : []),
      ]),
      await AuthorityKeyIdentifierExtension.create(authority, false, webcrypto),
    ],
  }
}
