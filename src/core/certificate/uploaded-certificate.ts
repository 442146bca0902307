import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { AloftError } from '#contract/errors.ts'
import { isHostName } from './certificate-name.ts'

export interface Upload {
  readonly ca: string
  readonly cert: string
  readonly key: string
}

interface ReadUpload {
  /** Sorted. */
  readonly names: readonly string[]
  readonly expiresAt: number
  /** The certificate, followed by those between it and its authority. */
  readonly cert: string
  readonly key: string
}

const PEM = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g
const MOST_LINKS = 10
const MOST_NAMES = 100
/** What clients take part in; a signature on P-521 costs ten of those on P-256. */
const CURVES = ['prime256v1', 'secp384r1']
/** A signature with twice the bits takes eight times as long, in the process that serves everybody. */
const MOST_BITS = 4096
const SERVER_AUTHENTICATION = '1.3.6.1.5.5.7.3.1'
const KEYS: readonly (string | undefined)[] = ['rsa', 'ec']

const invalid = (why: string) => new AloftError('invalid_cert', `The certificate can’t be used: ${why}.`)

/** Checks that certificate, key and chain fit together and are good now. Throws what is wrong with them. */
export function readUpload({ ca, cert, key }: Upload, now: number): ReadUpload {
  const given = certificatesIn(cert, 'cert')
  const [leaf] = given
  if (!leaf) throw invalid('`cert` contains no certificate in PEM format')
  const chain = linked(leaf, [...given.slice(1), ...certificatesIn(ca, 'ca')])
  for (const link of [leaf, ...chain]) checkTime(link, now)
  if (chain.length === 0 && !isRoot(leaf))
    throw invalid('`ca` does not contain the certificate that signed it')
  // Without this list it may be used for everything.
  if (leaf.keyUsage && !leaf.keyUsage.includes(SERVER_AUTHENTICATION))
    throw invalid('it is not a server certificate')
  const privateKey = readKey(key)
  if (!leaf.checkPrivateKey(privateKey)) throw invalid('the key does not belong to it')
  return {
    names: namesOf(leaf),
    expiresAt: leaf.validToDate.getTime(),
    // Visitors have the root themselves, or would not trust it from us.
    cert: [leaf, ...chain.filter((link) => !isRoot(link))].map((link) => link.toString()).join(''),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

function certificatesIn(text: string, property: string): X509Certificate[] {
  const blocks = text.match(PEM) ?? []
  if (blocks.length > MOST_LINKS)
    throw invalid(`\`${property}\` contains more than ${MOST_LINKS} certificates`)
  if (text.replace(PEM, '').includes('-----BEGIN CERTIFICATE'))
    throw invalid(`\`${property}\` is not in PEM format`)
  return blocks.map((block) => {
    let certificate: X509Certificate
    try {
      certificate = new X509Certificate(block)
    } catch {
      throw invalid(`\`${property}\` is not in PEM format`)
    }
    if (!hasReadableKey(certificate))
      throw invalid(`\`${property}\` contains a public key that cannot be read`)
    return certificate
  })
}

/** It is read only when it is asked for, long after the rest. */
function hasReadableKey(certificate: X509Certificate): boolean {
  try {
    return certificate.publicKey.type === 'public'
  } catch {
    return false
  }
}

function readKey(text: string): KeyObject {
  let key: KeyObject
  try {
    key = createPrivateKey(text)
  } catch {
    throw invalid('`key` is not a private key in PEM format, or it is encrypted')
  }
  if (!KEYS.includes(key.asymmetricKeyType)) throw invalid('its key is neither RSA nor ECDSA')
  const { modulusLength, namedCurve } = key.asymmetricKeyDetails ?? {}
  if (modulusLength !== undefined && (modulusLength < 2048 || modulusLength > MOST_BITS))
    throw invalid(`an RSA key should have 2048 to ${MOST_BITS} bits`)
  if (namedCurve !== undefined && !CURVES.includes(namedCurve))
    throw invalid('an ECDSA key should be on P-256 or P-384')
  return key
}

const isRoot = (certificate: X509Certificate): boolean =>
  certificate.issuer === certificate.subject && certificate.verify(certificate.publicKey)

/** From the certificate up to its authority, in order, whatever order they were given in. */
function linked(leaf: X509Certificate, others: readonly X509Certificate[]): readonly X509Certificate[] {
  const known = new Set([leaf.fingerprint256])
  const left = others.filter(({ fingerprint256 }) => {
    const isNew = !known.has(fingerprint256)
    known.add(fingerprint256)
    return isNew
  })
  const chain: X509Certificate[] = []
  for (let last = leaf; left.length > 0 && !isRoot(last); ) {
    const at = left.findIndex((other) => signed(other, last))
    const [next] = at < 0 ? [] : left.splice(at, 1)
    if (!next) break
    chain.push(next)
    last = next
  }
  if (left.length > 0) throw invalid('`ca` does not form a chain from it to its authority')
  return chain
}

const signed = (issuer: X509Certificate, subject: X509Certificate): boolean =>
  issuer.ca && subject.checkIssued(issuer) && subject.verify(issuer.publicKey)

function checkTime({ validFromDate, validToDate, subject }: X509Certificate, now: number): void {
  const name = subject.replaceAll('\n', ', ').slice(0, 100)
  if (validToDate.getTime() <= now) throw invalid(`\`${name}\` expired on ${validToDate.toISOString()}`)
  if (validFromDate.getTime() > now)
    throw invalid(`\`${name}\` is not valid before ${validFromDate.toISOString()}`)
}

/** The alternative names, which are all that clients look at. */
function namesOf({ subjectAltName = '' }: X509Certificate): readonly string[] {
  const names = subjectAltName
    .split(', ')
    .filter((entry) => entry.startsWith('DNS:'))
    .map((entry) => entry.slice(4).toLowerCase())
  if (names.length === 0) throw invalid('it has no host names')
  if (names.length > MOST_NAMES) throw invalid(`it has more than ${MOST_NAMES} host names`)
  const bad = names.find((name) => !isHostName(name.replace(/^\*\./, '')))
  if (bad !== undefined) throw invalid(`\`${bad.slice(0, 100)}\` is not a host name`)
  return [...new Set(names)].sort()
}
