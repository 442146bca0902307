import { createHash, hash } from 'node:crypto'
import { BlobError } from '#core/ports/blob-store.ts'
import type { ContentIndex, PlacedContent } from './content-index.ts'
import type { S3Client } from './s3-client.ts'

interface Fetching {
  readonly client: Pick<S3Client, 'get' | 'getBytes'>
  readonly index: Pick<ContentIndex, 'find'>
  readonly pause: (ms: number) => Promise<void>
}

/** A content that moves while it is fetched is looked up again, so often. */
const LOOKS = 4
const RESUMES = 4
/** After such pauses it is asked again for what seems to be damaged: a copy of the store that answers may be behind. */
const AGAIN_MS = [1000, 3000]

const GONE = 'its object is gone'
const CHANGED = 'its bytes are not what they were'

/** A content is damaged where it was read: it may have been put again since, and be sound where it is now. */
export class DamagedContent extends BlobError {
  readonly place: PlacedContent

  constructor(place: PlacedContent, detail: string) {
    super('corrupt', `The stored content of ${place.sha256} is damaged: ${detail}`)
    this.place = place
  }
}

export const cameChanged = (sha256: string) =>
  new BlobError('corrupt', `The content of ${sha256} came changed`)

export async function locate(
  { index }: Pick<Fetching, 'index'>,
  sha256: string,
): Promise<PlacedContent | undefined> {
  const [place] = await index.find([sha256])
  return place
}

/** The whole content, checked. */
export async function fetchWhole(parts: Fetching, place: PlacedContent): Promise<Buffer | undefined> {
  const { sha256, size } = place
  const pauses = AGAIN_MS.values()
  let current = place
  for (let moves = 0; ; ) {
    // A range of no bytes cannot be asked for.
    const bytes =
      size === 0
        ? Buffer.alloc(0)
        : await parts.client.getBytes(current.object, { start: current.start, end: current.start + size })
    if (bytes !== undefined && bytes.length === size && hash('sha256', bytes) === sha256) return bytes
    const damage = new DamagedContent(current, bytes === undefined ? GONE : CHANGED)
    const now = await locate(parts, sha256)
    if (now === undefined) return undefined
    if (isSamePlace(now, current)) await pauseOr(damage, parts, pauses)
    else if (++moves === LOOKS) throw damage
    current = now
  }
}

/** A part of a content, piece by piece. Of a whole one the last piece is held back until all of them have been hashed. */
export async function* fetchPieces(
  parts: Fetching,
  place: PlacedContent,
  from: number,
  to: number,
): AsyncGenerator<Buffer> {
  const { sha256, size } = place
  const digest = from === 0 && to === size ? createHash('sha256') : undefined
  let last: Buffer | undefined
  for await (const piece of piecesOf(parts, place, from, to)) {
    digest?.update(piece)
    if (last !== undefined) yield last
    last = piece
  }
  if (digest !== undefined && digest.digest('hex') !== sha256) throw await whatIsWrong(parts, sha256)
  if (last !== undefined) yield last
}

/** After bytes have come that are not those of a content: whether it is damaged, or only came changed. */
async function whatIsWrong(parts: Fetching, sha256: string): Promise<BlobError> {
  let damage = cameChanged(sha256)
  for (const ms of AGAIN_MS) {
    await parts.pause(ms)
    const place = await locate(parts, sha256)
    if (place === undefined) return cameChanged(sha256)
    const digest = createHash('sha256')
    for await (const piece of piecesOf(parts, place, 0, place.size)) digest.update(piece)
    if (digest.digest('hex') === sha256) return cameChanged(sha256)
    damage = new DamagedContent(place, CHANGED)
  }
  return damage
}

/** Unchecked. A connection that breaks is taken up where it broke. */
async function* piecesOf(
  parts: Fetching,
  place: PlacedContent,
  from: number,
  to: number,
): AsyncGenerator<Buffer> {
  const pauses = AGAIN_MS.values()
  let current = place
  let at = from
  for (let attempt = 1; at < to; ) {
    const range = { start: current.start + at, end: current.start + to }
    const stream = await parts.client.get(current.object, range)
    if (stream === undefined) {
      const damage = new DamagedContent(current, GONE)
      const now = await locate(parts, place.sha256)
      if (now === undefined) throw damage
      if (isSamePlace(now, current)) await pauseOr(damage, parts, pauses)
      else if (attempt++ > LOOKS) throw damage
      current = now
      continue
    }
    try {
      for await (const piece of stream as AsyncIterable<Buffer>) {
        at += piece.length
        yield piece
      }
      if (at < to) throw new Error('The object store ended an answer early')
    } catch (error) {
      if (attempt++ > RESUMES) throw error
    } finally {
      stream.destroy()
    }
  }
}

const isSamePlace = (a: PlacedContent, b: PlacedContent): boolean =>
  a.object === b.object && a.start === b.start

async function pauseOr(damage: DamagedContent, { pause }: Fetching, pauses: Iterator<number>): Promise<void> {
  const next = pauses.next()
  if (next.done === true) throw damage
  await pause(next.value)
}
