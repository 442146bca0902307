// A backup under a passphrase. Whoever makes one and whoever restores one has to agree on it.
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  randomBytes,
  scrypt,
  timingSafeEqual,
} from 'node:crypto'

/**
 * The bytes of a backup in pieces of the same length, each sealed by itself (AES-256-GCM), so that any of them can be
 * read without those before it. What seals a piece holds its number and whether it is the last: none can be left out,
 * moved, or cut off unseen. The key is derived from the passphrase by scrypt, with a salt of the file's own.
 *
 *   magic · cost (log2 N, r, p) · salt · check of the passphrase · pieces, each followed by its tag
 */
const MAGIC = Buffer.from('aloft sealed backup 1\n')
const SALT_BYTES = 16
const CHECK_BYTES = 16
const HEAD_BYTES = MAGIC.length + 3 + SALT_BYTES
export const SEALED_HEADER_BYTES = HEAD_BYTES + CHECK_BYTES
/** What is sealed at once; where some of it is damaged, none of it can be read. */
export const PIECE = 64 * 1024
const TAG_BYTES = 16
const SEALED_PIECE = PIECE + TAG_BYTES

interface Cost {
  readonly log2N: number
  readonly r: number
  readonly p: number
}

/** 128 MB and some tenths of a second for each guess. */
const COST: Cost = { log2N: 17, r: 8, p: 1 }
/** What a file may ask of whoever opens it. */
const MOST: Cost = { log2N: 20, r: 16, p: 4 }

export const SHORTEST_PASSPHRASE = 12

/** What a passphrase file holds: everything but the end of its last line. */
export const readPassphrase = (text: string): string => text.replace(/\r?\n$/, '')

export const isSealedBackup = (beginning: Buffer): boolean =>
  beginning.subarray(0, MAGIC.length).equals(MAGIC)

/** Why a sealed backup cannot be opened; for the person who wants to. */
export class SealError extends Error {
  override readonly name = 'SealError'
}

interface Keys {
  readonly key: Buffer
  readonly check: Buffer
}

async function keysOf(head: Buffer, passphrase: string): Promise<Keys> {
  const [log2N = 0, r = 0, p = 0] = head.subarray(MAGIC.length)
  if (log2N > MOST.log2N || r > MOST.r || p > MOST.p || log2N * r * p === 0)
    throw new SealError('The backup is damaged: its header is not valid.')
  const both = await new Promise<Buffer>((resolve, reject) => {
    const cost = { N: 2 ** log2N, r, p, maxmem: 256 * 2 ** log2N * r }
    const salt = head.subarray(MAGIC.length + 3)
    scrypt(passphrase.normalize('NFC'), salt, 64, cost, (error, derived) =>
      error ? reject(error) : resolve(derived),
    )
  })
  const check = createHmac('sha256', both.subarray(32)).update(head).digest().subarray(0, CHECK_BYTES)
  return { key: both.subarray(0, 32), check }
}

/** Never the same twice under one key: the key is that of one file. */
function nonceOf(number: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12)
  nonce.writeUIntBE(number, 5, 6)
  nonce[11] = isLast ? 1 : 0
  return nonce
}

function sealPiece(key: Buffer, piece: Buffer, number: number, isLast: boolean): Buffer {
  const cipher = createCipheriv('aes-256-gcm', key, nonceOf(number, isLast))
  return Buffer.concat([cipher.update(piece), cipher.final(), cipher.getAuthTag()])
}

/** Seals the bytes of a backup as they come. */
export async function* sealBackup(
  source: AsyncIterable<Uint8Array>,
  passphrase: string,
  cost = COST,
): AsyncGenerator<Buffer> {
  const head = Buffer.concat([MAGIC, Buffer.from([cost.log2N, cost.r, cost.p]), randomBytes(SALT_BYTES)])
  const { key, check } = await keysOf(head, passphrase)
  yield Buffer.concat([head, check])
  let rest = Buffer.alloc(0)
  let number = 0
  for await (const chunk of source) {
    rest = Buffer.concat([rest, chunk])
    let at = 0
    // The last one is sealed otherwise than the others, so one is always held back.
    for (; rest.length - at > PIECE; at += PIECE)
      yield sealPiece(key, rest.subarray(at, at + PIECE), number++, false)
    rest = rest.subarray(at)
  }
  yield sealPiece(key, rest, number, true)
}

export type ReadAt = (position: number, length: number) => Promise<Buffer>

/** Opens a sealed file of this many bytes, whose bytes `readAt` gives. Answers the same for what was sealed. */
export async function openSealedBackup(
  readAt: ReadAt,
  bytes: number,
  passphrase: string,
): Promise<{ readonly size: number; readonly readAt: ReadAt }> {
  if (bytes < SEALED_HEADER_BYTES + TAG_BYTES) throw new SealError('The backup is incomplete.')
  const header = await readAt(0, SEALED_HEADER_BYTES)
  const { key, check } = await keysOf(header.subarray(0, HEAD_BYTES), passphrase)
  if (!timingSafeEqual(check, header.subarray(HEAD_BYTES)))
    throw new SealError('The passphrase is not the one that this backup was encrypted with.')
  const sealed = bytes - SEALED_HEADER_BYTES
  const pieces = Math.ceil(sealed / SEALED_PIECE)
  const size = sealed - pieces * TAG_BYTES
  let last: { readonly number: number; readonly piece: Buffer } | undefined

  async function pieceAt(number: number): Promise<Buffer> {
    if (last?.number === number) return last.piece
    const from = SEALED_HEADER_BYTES + number * SEALED_PIECE
    const whole = await readAt(from, Math.min(SEALED_PIECE, bytes - from))
    if (whole.length < TAG_BYTES) throw damaged()
    const opener = createDecipheriv('aes-256-gcm', key, nonceOf(number, number === pieces - 1), {
      authTagLength: TAG_BYTES,
    })
    opener.setAuthTag(whole.subarray(-TAG_BYTES))
    try {
      const piece = Buffer.concat([opener.update(whole.subarray(0, -TAG_BYTES)), opener.final()])
      last = { number, piece }
      return piece
    } catch {
      throw damaged()
    }
  }

  return {
    size,
    async readAt(position, length) {
      const parts: Buffer[] = []
      const end = Math.min(position + length, size)
      for (let at = position; at < end; ) {
        const number = Math.floor(at / PIECE)
        const piece = await pieceAt(number)
        const from = at - number * PIECE
        const part = piece.subarray(from, Math.min(piece.length, from + end - at))
        if (part.length === 0) throw damaged()
        parts.push(part)
        at += part.length
      }
      return Buffer.concat(parts)
    },
  }
}

const damaged = () => new SealError('The backup is damaged or incomplete. Use another copy.')
