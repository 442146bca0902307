import { type KeyObject, verify, X509Certificate } from 'node:crypto'
import { type Element, expect, MalformedDer, readOne, readTime, TAG, within } from '#adapters/der/der.ts'
import { MINUTE } from '#contract/time.ts'
import { type CertificateId, SHA1 } from './ocsp-request.ts'

export class OcspFailure extends Error {
  override readonly name = 'OcspFailure'
}

const CONTEXT = { first: 0xa0, second: 0xa1, third: 0xa2, good: 0x80 } as const
const BASIC_RESPONSE = '2b0601050507300101'
/** To sign responses in the place of the authority, as extended key usages spell it. */
const OCSP_SIGNING = '1.3.6.1.5.5.7.3.9'
/** Those that come with a response; one is enough. */
const MAX_CERTIFICATES = 4
/** Clocks differ. */
const SKEW_MS = 5 * MINUTE

/** The signatures that are trusted, by object identifier in hex: the kind of key, and the digest. */
const SIGNATURES: Readonly<Record<string, readonly [type: string, digest: string | null]>> = {
  '2a864886f70d01010b': ['rsa', 'sha256'],
  '2a864886f70d01010c': ['rsa', 'sha384'],
  '2a864886f70d01010d': ['rsa', 'sha512'],
  '2a8648ce3d040302': ['ec', 'sha256'],
  '2a8648ce3d040303': ['ec', 'sha384'],
  '2a8648ce3d040304': ['ec', 'sha512'],
  '2b6570': ['ed25519', null],
}

/**
 * Reads the response to a request for one certificate, and throws unless it says that the certificate is good, is
 * signed by its issuer or for it, and holds at this moment and until a time that it says, which is returned.
 */
export function readResponse(response: Buffer, id: CertificateId, issuer: Buffer, now: number): number {
  const [status, bytes] = within(readOne(response, TAG.sequence))
  if (expect(status, TAG.enumerated).content.toString('hex') !== '00')
    throw new OcspFailure('the responder refused')
  const [type, basic] = within(readOne(expect(bytes, CONTEXT.first).content, TAG.sequence))
  if (expect(type, TAG.oid).content.toString('hex') !== BASIC_RESPONSE)
    throw new OcspFailure('the response is of an unknown type')
  const signed = within(readOne(expect(basic, TAG.octetString).content, TAG.sequence))
  checkSignature(signed, new X509Certificate(issuer), now)
  return holding(singleFor(signed[0], id), now)
}

function checkSignature(
  [data, algorithm, signature, more]: readonly Element[],
  issuer: X509Certificate,
  now: number,
): void {
  const oid = expect(within(algorithm)[0], TAG.oid).content.toString('hex')
  const [type, digest] = SIGNATURES[oid] ?? []
  const bits = expect(signature, TAG.bitString).content
  if (type === undefined || digest === undefined || bits[0] !== 0)
    throw new OcspFailure('the response is signed in an unknown way')
  const isBy = (key: KeyObject) =>
    key.asymmetricKeyType === type && verify(digest, expect(data, TAG.sequence).whole, key, bits.subarray(1))
  if (isBy(issuer.publicKey)) return
  if (!deputies(more, issuer, now).some(({ publicKey }) => isBy(publicKey)))
    throw new OcspFailure('the response is not signed by the issuer')
}

/** Whom the issuer has let sign responses for it. */
function deputies(
  more: Element | undefined,
  issuer: X509Certificate,
  now: number,
): readonly X509Certificate[] {
  if (more === undefined) return []
  return within(readOne(expect(more, CONTEXT.first).content, TAG.sequence))
    .slice(0, MAX_CERTIFICATES)
    .map(({ whole }) => new X509Certificate(whole))
    .filter(
      (one) =>
        one.checkIssued(issuer) &&
        one.verify(issuer.publicKey) &&
        (one.keyUsage ?? []).includes(OCSP_SIGNING) &&
        one.validFromDate.getTime() <= now + SKEW_MS &&
        one.validToDate.getTime() >= now,
    )
}

/** What the response says of the certificate. */
function singleFor(data: Element | undefined, id: CertificateId): readonly Element[] {
  const fields = within(data)
  const [responder, , list] = fields[0]?.tag === CONTEXT.first ? fields.slice(1) : fields
  if (responder?.tag !== CONTEXT.second && responder?.tag !== CONTEXT.third)
    throw new MalformedDer('the responder has no name')
  const single = within(list)
    .map(within)
    .find(([certificate]) => isFor(certificate, id))
  if (!single) throw new OcspFailure('the response is for another certificate')
  return single
}

function isFor(certificate: Element | undefined, id: CertificateId): boolean {
  const [algorithm, name, key, serial] = within(certificate)
  return (
    expect(within(algorithm)[0], TAG.oid).content.equals(SHA1) &&
    expect(name, TAG.octetString).content.equals(id.issuerNameHash) &&
    expect(key, TAG.octetString).content.equals(id.issuerKeyHash) &&
    expect(serial, TAG.integer).content.equals(id.serial)
  )
}

function holding([, status, from, until]: readonly Element[], now: number): number {
  if (status?.tag !== CONTEXT.good) throw new OcspFailure('the certificate is not said to be good')
  if (until?.tag !== CONTEXT.first) throw new OcspFailure('the response does not say how long it holds')
  const madeAt = readTime(from)
  const nextUpdate = readTime(readOne(until.content, TAG.generalizedTime))
  if (madeAt > now + SKEW_MS || nextUpdate <= now) throw new OcspFailure('the response does not hold now')
  return nextUpdate
}
