import { createHash, X509Certificate } from 'node:crypto'
import { type Element, expect, MalformedDer, readOne, TAG, within, write } from '#adapters/der/der.ts'

/** How responders know a certificate. */
export interface CertificateId {
  readonly issuerNameHash: Buffer
  readonly issuerKeyHash: Buffer
  /** The bytes of the number. */
  readonly serial: Buffer
}

/** The object identifier 1.3.14.3.2.26: SHA-1, which every responder knows. It names here, and protects nothing. */
export const SHA1 = Buffer.from([0x2b, 0x0e, 0x03, 0x02, 0x1a])
const VERSION = 0xa0

const sha1 = (bytes: Buffer) => createHash('sha1').update(bytes).digest()

/** Of a certificate and the one that it was issued with, both in DER. */
export function certificateId(certificate: Buffer, issuer: Buffer): CertificateId {
  const [tbs] = within(readOne(certificate, TAG.sequence))
  const fields: readonly Element[] = within(tbs)
  const [serial, , name] = fields[0]?.tag === VERSION ? fields.slice(1) : fields
  const spki = new X509Certificate(issuer).publicKey.export({ type: 'spki', format: 'der' })
  const [, key] = within(readOne(spki, TAG.sequence))
  const bits = expect(key, TAG.bitString).content
  if (bits[0] !== 0) throw new MalformedDer('a key is not made of whole bytes')
  return {
    issuerNameHash: sha1(expect(name, TAG.sequence).whole),
    issuerKeyHash: sha1(bits.subarray(1)),
    serial: expect(serial, TAG.integer).content,
  }
}

/** Asks for the status of one certificate. Without a nonce, so that responders can answer from their cache. */
export function encodeRequest({ issuerNameHash, issuerKeyHash, serial }: CertificateId): Buffer {
  const algorithm = write(TAG.sequence, write(TAG.oid, SHA1), write(TAG.null))
  const id = write(
    TAG.sequence,
    algorithm,
    write(TAG.octetString, issuerNameHash),
    write(TAG.octetString, issuerKeyHash),
    write(TAG.integer, serial),
  )
  const list = write(TAG.sequence, write(TAG.sequence, id))
  return write(TAG.sequence, write(TAG.sequence, list))
}
