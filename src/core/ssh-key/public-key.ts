import { createHash } from 'node:crypto'
import { AloftError } from '#contract/errors.ts'

/** Kinds that the server can check signatures of, and that are not known to be weak. */
const KINDS: ReadonlySet<string> = new Set([
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'ssh-rsa',
])
const LEAST_RSA_BITS = 2048
/** Signatures of larger ones, and of such with an exponent of their own, take the server long to check. */
const MOST_RSA_BITS = 8192
const MOST_EXPONENT_BITS = 32
const MAX_LENGTH = 8192

interface PublicKey {
  readonly fingerprint: string
  /** Kind and content, without a comment. */
  readonly text: string
  /** What follows them, which is usually who made it where. */
  readonly comment: string
}

const invalid = (why: string) => new AloftError('bad_request', `Invalid request: \`publicKey\` ${why}`)

/** Of a key as SSH itself sends it. */
export const fingerprintOf = (blob: Uint8Array): string =>
  `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`

/** Reads one line of a `.pub` file. */
export function readPublicKey(given: string): PublicKey {
  const line = given.trim()
  if (/PRIVATE KEY/.test(line))
    throw invalid(
      'is a private key, which you should never share. Send the file that ends in `.pub`, and create a new key pair.',
    )
  if (line.length > MAX_LENGTH || /[\r\n]/.test(line)) throw invalid('should be one line of a `.pub` file.')
  const [, kind, content, comment = ''] =
    /^([a-z0-9@.-]+) +([A-Za-z0-9+/]+={0,2})(?: +(.*))?$/.exec(line) ?? []
  if (kind === undefined || content === undefined)
    throw invalid('should be one line of a `.pub` file, such as `ssh-ed25519 AAAA… you@laptop`.')
  if (!KINDS.has(kind))
    throw invalid(
      `has the type \`${kind.slice(0, 50)}\`, which is not accepted. Create another one: ssh-keygen -t ed25519`,
    )
  const blob = Buffer.from(content, 'base64')
  const parts = readStrings(blob)
  if (!parts || parts[0]?.toString('latin1') !== kind) throw invalid('is damaged: copy the whole line.')
  if (kind === 'ssh-rsa' && bitsOf(parts[2]) < LEAST_RSA_BITS)
    throw invalid(`has fewer than ${LEAST_RSA_BITS} bits. Create another one: ssh-keygen -t ed25519`)
  if (kind === 'ssh-rsa' && (bitsOf(parts[2]) > MOST_RSA_BITS || bitsOf(parts[1]) > MOST_EXPONENT_BITS))
    throw invalid(
      `has more than ${MOST_RSA_BITS} bits or an unusual exponent. Create another one: ssh-keygen -t ed25519`,
    )
  if (kind === 'ssh-ed25519' && (parts.length !== 2 || parts[1]?.length !== 32))
    throw invalid('is damaged: copy the whole line.')
  return {
    fingerprint: fingerprintOf(blob),
    text: `${kind} ${blob.toString('base64')}`,
    comment: comment.trim(),
  }
}

/** What a key consists of: each part has its length in front. Undefined where that does not come out even. */
function readStrings(blob: Buffer): readonly Buffer[] | undefined {
  const parts: Buffer[] = []
  for (let at = 0; at < blob.length; ) {
    if (at + 4 > blob.length) return undefined
    const end = at + 4 + blob.readUInt32BE(at)
    if (end > blob.length) return undefined
    parts.push(blob.subarray(at + 4, end))
    at = end
  }
  return parts.length >= 2 ? parts : undefined
}

/** Of a number, which may have a zero in front. */
function bitsOf(number: Buffer | undefined): number {
  const first = number?.findIndex((byte) => byte !== 0) ?? -1
  if (number === undefined || first === -1) return 0
  return (number.length - first - 1) * 8 + (32 - Math.clz32(number[first] as number))
}
