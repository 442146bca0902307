import { createHash, hash } from 'node:crypto'
import { Readable } from 'node:stream'
import { HOUR } from '#contract/time.ts'
import { markUnshared } from '#core/chunks.ts'
import { BlobError, type ByteRange } from '#core/ports/blob-store.ts'
import { isMissing, readFully } from './folder/disk.ts'
import type { BlobIndex } from './index/blob-index.ts'
import type { RecordPlace } from './index/index-rows.ts'
import type { FileIdentity, LargeFiles, OpenLarge } from './large-files.ts'
import type { PackFiles } from './pack/pack-files.ts'

const PIECE_BYTES = 1 << 20
const STREAM_BYTES = 256 << 10
const LOOKS = 8

export interface Readers {
  readonly index: Pick<BlobIndex, 'read'>
  readonly packs: Pick<PackFiles, 'read'>
  readonly large: Pick<LargeFiles, 'open'>
}

/** What was read: a record in a pack, or the file of a large content. */
type ReadPlace = RecordPlace | FileIdentity

/** A content is damaged where it was read: it may have been put again since, and be sound where it is now. */
export class DamagedContent extends BlobError {
  readonly place: ReadPlace

  constructor(sha256: string, place: ReadPlace, options?: ErrorOptions) {
    super('corrupt', `The stored content of ${sha256} is damaged`, options)
    this.place = place
  }
}

export async function readBlob(readers: Readers, sha256: string): Promise<Buffer | undefined> {
  return (await readSmall(readers, sha256)) ?? (await readLarge(readers, sha256))
}

export async function streamBlob(
  readers: Readers,
  sha256: string,
  range: ByteRange | undefined,
  verified: VerifiedNames,
): Promise<Readable | undefined> {
  const small = await readSmall(readers, sha256)
  if (small !== undefined) {
    const { start, end } = resolveRange(range, small.length)
    return Readable.from([small.subarray(start, end)], { objectMode: false })
  }
  const file = await readers.large.open(sha256)
  if (file === undefined) return undefined
  try {
    const { handle, size } = file
    const { start, end } = resolveRange(range, size)
    if (start < end) {
      const isChecked = end - start === size && !verified.has(sha256)
      const pieces = isChecked ? checked(file, sha256, verified) : piecesOf(handle, start, end)
      const stream = Readable.from(pieces, { objectMode: false, highWaterMark: STREAM_BYTES })
      // Not when its pieces are over: of a stream that nobody begins to read there are none.
      stream.once('close', () => void file.close().catch(() => undefined))
      return markUnshared(stream)
    }
  } catch (error) {
    await file.close()
    throw error
  }
  await file.close()
  return Readable.from([])
}

type Handle = OpenLarge['handle']

async function* piecesOf(handle: Handle, start: number, end: number): AsyncGenerator<Buffer> {
  for (let at = start; at < end; at += STREAM_BYTES) {
    const piece = await readFully(handle, Math.min(STREAM_BYTES, end - at), at)
    if (piece.length > 0) yield piece
  }
}

/** Holds the last piece back until all of them have been hashed: nobody takes a damaged content for a whole one. */
async function* checked(
  { handle, size, identity }: OpenLarge,
  sha256: string,
  verified: VerifiedNames,
): AsyncGenerator<Buffer> {
  const digest = createHash('sha256')
  for (let at = 0; at < size; at += STREAM_BYTES) {
    const piece = await readFully(handle, Math.min(STREAM_BYTES, size - at), at)
    digest.update(piece)
    const isLast = at + STREAM_BYTES >= size
    if (isLast && digest.digest('hex') !== sha256) throw new DamagedContent(sha256, identity)
    yield piece
  }
  verified.add(sha256)
}

/** Names of large contents that were found sound not long ago: they are not hashed again for every visitor. */
export class VerifiedNames {
  readonly #until = new Map<string, number>()

  has(sha256: string): boolean {
    return (this.#until.get(sha256) ?? 0) > performance.now()
  }

  add(sha256: string): void {
    if (this.#until.size >= MOST_VERIFIED) this.#until.clear()
    this.#until.set(sha256, performance.now() + VERIFIED_MS)
  }
}

const MOST_VERIFIED = 10_000
const VERIFIED_MS = HOUR

/** A pack that is gone was compacted since the look-up, by any process: the index knows where the content is now. */
async function readSmall({ index, packs }: Readers, sha256: string): Promise<Buffer | undefined> {
  for (let look = 1; ; look += 1) {
    const place = await index.read((rows) => rows.find(sha256))
    if (place === undefined) return undefined
    try {
      const bytes = await packs.read(place.packName, place.offset, place.size)
      if (hash('sha256', bytes) !== sha256) throw new DamagedContent(sha256, place)
      return bytes
    } catch (error) {
      if (!isMissing(error)) throw error
      if (look === LOOKS) throw new DamagedContent(sha256, place, { cause: error })
    }
  }
}

/** Hashed piece by piece, so that the event loop is never held for long. */
async function readLarge({ large }: Readers, sha256: string): Promise<Buffer | undefined> {
  const file = await large.open(sha256)
  if (file === undefined) return undefined
  const { handle, size, identity } = file
  try {
    const bytes = Buffer.allocUnsafeSlow(size)
    const digest = createHash('sha256')
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      const piece = await readFully(handle, Math.min(PIECE_BYTES, bytes.length - at), at)
      digest.update(piece)
      bytes.set(piece, at)
    }
    if (digest.digest('hex') !== sha256) throw new DamagedContent(sha256, identity)
    return bytes
  } finally {
    await file.close()
  }
}

export function resolveRange(
  range: ByteRange | undefined,
  size: number,
): { readonly start: number; readonly end: number } {
  const { start, end = size } = range ?? { start: 0 }
  const sound =
    Number.isSafeInteger(start) && Number.isSafeInteger(end) && start >= 0 && start <= end && end <= size
  if (!sound) throw new BlobError('bad_range', `There are no bytes ${start} to ${end} in ${size}`)
  return { start, end }
}
