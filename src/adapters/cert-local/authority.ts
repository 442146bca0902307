import { randomBytes } from 'node:crypto'
import { HOUR, YEAR } from '#contract/time.ts'
import type { Clock } from '#core/ports/clock.ts'
import { systemClock } from '#core/ports/system-clock.ts'
import { distinguishedName, ofAuthority, signCertificate, subjectKey } from './certificate.ts'
import { createKeyPair } from './keys.ts'

export interface Authority {
  readonly certPem: string
  readonly keyPem: string
}

const LIFETIME = 10 * YEAR

/** Makes a new certificate authority. Keeping it, and keeping its key secret, is the caller's. */
export async function createAuthority(clock: Clock = systemClock): Promise<Authority> {
  const { privateKey, publicKey, pem } = await createKeyPair()
  // Two authorities on one machine must be told apart in a trust store, hence the random part.
  const name = distinguishedName(`Aloft local authority ${randomBytes(4).toString('hex')}`)
  const now = clock.now()
  const certPem = signCertificate({
    ...{ issuer: name, subject: name, signingKey: privateKey, publicKey },
    notBefore: now - HOUR,
    notAfter: now + LIFETIME,
    extensions: [...ofAuthority, subjectKey(publicKey)],
  })
  return { certPem, keyPem: pem }
}
