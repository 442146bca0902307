import { generateKeyPairSync, webcrypto } from 'node:crypto'
import { DAY } from '#contract/time.ts'
import { x509 } from './x509.ts'

const ECDSA = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
const RSA = {
  name: 'RSASSA-PKCS1-v1_5',
  hash: 'SHA-256',
  modulusLength: 2048,
  publicExponent: new Uint8Array([1, 0, 1]),
} as const

export interface Signer {
  readonly cert: string
  readonly key: string
  readonly pair: webcrypto.CryptoKeyPair
  readonly subject: string
  readonly algorithm: typeof ECDSA | typeof RSA
}

interface LeafOptions {
  readonly rsa?: boolean
  readonly from?: number
  readonly to?: number
  /** Meant for clients instead of servers. */
  readonly forClients?: boolean
}

async function create(
  subject: string,
  issuer: Signer | undefined,
  ca: boolean,
  names: readonly string[],
  { rsa = false, from = Date.now() - DAY, to = Date.now() + 90 * DAY, forClients = false }: LeafOptions,
): Promise<Signer> {
  const {
    BasicConstraintsExtension,
    ExtendedKeyUsage,
    ExtendedKeyUsageExtension,
    KeyUsageFlags,
    KeyUsagesExtension,
    SubjectAlternativeNameExtension,
    X509CertificateGenerator,
  } = x509()
  const algorithm = rsa ? RSA : ECDSA
  const pair = (await webcrypto.subtle.generateKey(algorithm, true, [
    'sign',
    'verify',
  ])) as webcrypto.CryptoKeyPair
  const usages = ca
    ? KeyUsageFlags.keyCertSign
    : KeyUsageFlags.digitalSignature | KeyUsageFlags.keyEncipherment
  const certificate = await X509CertificateGenerator.create(
    {
      serialNumber: Buffer.from(webcrypto.getRandomValues(new Uint8Array(8))).toString('hex'),
      subject,
      issuer: issuer?.subject ?? subject,
      notBefore: new Date(from),
      notAfter: new Date(to),
      publicKey: pair.publicKey,
      signingKey: (issuer?.pair ?? pair).privateKey,
      signingAlgorithm: issuer?.algorithm ?? algorithm,
      extensions: [
        new BasicConstraintsExtension(ca, undefined, true),
        new KeyUsagesExtension(usages, true),
        ...(ca
          ? []
          : [
              new ExtendedKeyUsageExtension([
                forClients ? ExtendedKeyUsage.clientAuth : ExtendedKeyUsage.serverAuth,
              ]),
            ]),
        ...(names.length === 0
          ? []
          : [new SubjectAlternativeNameExtension(names.map((value) => ({ type: 'dns' as const, value })))]),
      ],
    },
    webcrypto,
  )
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', pair.privateKey))
  const key = `-----BEGIN PRIVATE KEY-----\n${der.toString('base64')}\n-----END PRIVATE KEY-----\n`
  return { cert: `${certificate.toString('pem')}\n`, key, pair, subject, algorithm }
}

let serial = 0

/** An authority of the test's own: a root, or what a root has signed. */
export const makeAuthority = (issuer?: Signer, options: LeafOptions = {}): Promise<Signer> =>
  create(`CN=Test authority ${++serial}`, issuer, true, [], { to: Date.now() + 3650 * DAY, ...options })

/** A certificate for these names. */
export const makeLeaf = (
  issuer: Signer | undefined,
  names: readonly string[],
  options: LeafOptions = {},
): Promise<Signer> => create(`CN=Leaf ${++serial}`, issuer, false, names, options)

/** A key that belongs to nothing, as other programs write it. */
export const anyKey = (): string =>
  generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString()
