import { createHash, type KeyObject, randomBytes, sign, type X509Certificate } from 'node:crypto'
import { write } from '#adapters/der/der.ts'
import {
  bits,
  bytesOf,
  type Der,
  inside,
  integer,
  octets,
  oid,
  sequence,
  set,
  TRUE,
  time,
  utf8,
} from './der-values.ts'
import { addressBytes, type SubjectName } from './subject-names.ts'

/** What a certificate (RFC 5280) says, and by whose key. */
interface Statement {
  readonly issuer: Der
  readonly signingKey: KeyObject
  readonly notBefore: number
  readonly notAfter: number
  readonly subject: Der
  /** As SubjectPublicKeyInfo. */
  readonly publicKey: Der
  readonly extensions: readonly Der[]
}

const ECDSA_SHA256 = sequence(oid('1.2.840.10045.4.3.2'))
const SERVER_AUTH = oid('1.3.6.1.5.5.7.3.1')
const CLIENT_AUTH = oid('1.3.6.1.5.5.7.3.2')

/** 128 random bits, so that no two are the same. */
const randomSerial = (): Der => integer(randomBytes(16))

/** With a newline at the end, so that certificates can be joined to a chain. */
function toPem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}

export function signCertificate(statement: Statement): string {
  const { issuer, signingKey, notBefore, notAfter, subject, publicKey, extensions } = statement
  const signed = sequence(
    write(0xa0, integer(Buffer.of(2))),
    randomSerial(),
    ECDSA_SHA256,
    issuer,
    sequence(time(notBefore), time(notAfter)),
    subject,
    publicKey,
    write(0xa3, sequence(...extensions)),
  )
  return toPem(sequence(signed, ECDSA_SHA256, bits(sign('sha256', signed, signingKey))))
}

/** A name that is a common name, or none. */
export const distinguishedName = (commonName?: string): Der =>
  commonName === undefined ? sequence() : sequence(set(sequence(oid('2.5.4.3'), utf8(commonName))))

/** Whom a certificate was made out to, in the very bytes. */
export const subjectOf = ({ raw }: X509Certificate): Der => {
  // Certificate → what is signed → version, serial number, algorithm, issuer, times, subject.
  const [signed] = inside(raw) as [Der]
  return inside(signed)[5] as Der
}

/** By which authorities and certificates find each other: the SHA-1 of the key's own bits. */
function keyIdentifier(publicKey: Der): Der {
  const [, key] = inside(publicKey) as [Der, Der]
  return createHash('sha1').update(bytesOf(key)).digest()
}

const extension = (id: string, content: Der, { critical = false } = {}): Der =>
  sequence(oid(id), ...(critical ? [TRUE] : []), octets(content))

export const ofAuthority = [
  // May sign certificates, but none of further authorities.
  extension('2.5.29.19', sequence(TRUE, integer(Buffer.of(0))), { critical: true }),
  extension('2.5.29.15', bits(Buffer.of(0b0000_0110), 1), { critical: true }),
]

export const ofServer = (forClients: boolean): Der[] => [
  extension('2.5.29.19', sequence(), { critical: true }),
  extension('2.5.29.15', bits(Buffer.of(0b1000_0000), 7), { critical: true }),
  extension('2.5.29.37', sequence(SERVER_AUTH, ...(forClients ? [CLIENT_AUTH] : []))),
]

export const subjectKey = (publicKey: Der): Der => extension('2.5.29.14', octets(keyIdentifier(publicKey)))
export const authorityKey = (publicKey: Der): Der =>
  extension('2.5.29.35', sequence(write(0x80, keyIdentifier(publicKey))))

/** Without a subject these are the identity, and must be marked critical. */
export const alternativeNames = (
  names: readonly SubjectName[],
  options: { readonly critical: boolean },
): Der =>
  extension(
    '2.5.29.17',
    sequence(
      ...names.map(({ type, value: name }) =>
        type === 'dns' ? write(0x82, Buffer.from(name)) : write(0x87, addressBytes(name)),
      ),
    ),
    options,
  )
