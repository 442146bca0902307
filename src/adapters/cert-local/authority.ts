import { randomBytes, webcrypto } from 'node:crypto'
import type { Clock } from '#core/ports/clock.ts'
import { systemClock } from '#core/ports/system-clock.ts'
import { ALGORITHM, createKeyPair, randomSerial } from './keys.ts'
import { toPem } from './pem.ts'
import { x509 } from './x509.ts'

export interface Authority {
  readonly certPem: string
  readonly keyPem: string
}

const HOUR = 3_600_000
const LIFETIME = 3650 * 24 * HOUR

/** Makes a new certificate authority. Keeping it, and keeping its key secret, is the caller's. */
export async function createAuthority(clock: Clock = systemClock): Promise<Authority> {
  const {
    BasicConstraintsExtension,
    KeyUsageFlags,
    KeyUsagesExtension,
    SubjectKeyIdentifierExtension,
    X509CertificateGenerator,
  } = x509()
  const { pair, pem } = await createKeyPair()
  const now = clock.now()
  const certificate = await X509CertificateGenerator.createSelfSigned(
    {
      serialNumber: randomSerial(),
      // Two authorities on one machine must be told apart in a trust store, hence the random part.
      name: [{ CN: [`Aloft local authority ${randomBytes(4).toString('hex')}`] }],
      notBefore: new Date(now - HOUR),
      notAfter: new Date(now + LIFETIME),
      keys: pair,
      signingAlgorithm: ALGORITHM,
      extensions: [
        new BasicConstraintsExtension(true, 0, true),
        new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
        await SubjectKeyIdentifierExtension.create(pair.publicKey, false, webcrypto),
      ],
    },
    webcrypto,
  )
  return { certPem: toPem('CERTIFICATE', certificate.rawData), keyPem: pem }
}
