import { createHash, hash } from 'node:crypto'
import { BlobError } from '#core/ports/blob-store.ts'
import type { ContentIndex, PlacedContent } from './content-index.ts'
import type { S3Client } from './s3-client.ts'

interface Fetching {
  readonly client: Pick<S3Client, 'get' | 'getBytes'>
  readonly index: Pick<ContentIndex, 'find'>
}

/** A content that moves while it is fetched is looked up again, so often. */
const LOOKS = 4
const RESUMES = 4

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

export async function locate({ index }: Fetching, sha256: string): Promise<PlacedContent | undefined> {
  const [place] = await index.find([sha256])
  return place
}

/** The whole content, checked. */
export async function fetchWhole(parts: Fetching, place: PlacedContent): Promise<Buffer | undefined> {
  const { sha256, size } = place
  let read = place
  let current: PlacedContent | undefined = place
  let isWrong = false
  for (let look = 1; current !== undefined && look <= LOOKS; look += 1) {
    read = current
    // A range of no bytes cannot be asked for.
    const bytes: Buffer | undefined =
      size === 0
        ? Buffer.alloc(0)
        : await parts.client.getBytes(current.object, { start: current.start, end: current.start + size })
    if (bytes !== undefined && bytes.length === size && hash('sha256', bytes) === sha256) return bytes
    isWrong = bytes !== undefined
    const now = await locate(parts, sha256)
    const isWhereItWas = now?.object === current.object && now.start === current.start
    if (isWhereItWas && look > 1) break
    current = now
  }
  if (current === undefined) return undefined
  throw new DamagedContent(read, isWrong ? CHANGED : GONE)
}

/** A part of a content, piece by piece. A connection that breaks is taken up where it broke. */
export async function* fetchPieces(
  parts: Fetching,
  place: PlacedContent,
  from: number,
  to: number,
): AsyncGenerator<Buffer> {
  const { sha256, size } = place
  const digest = from === 0 && to === size ? createHash('sha256') : undefined
  let current = place
  let at = from
  let last: Buffer | undefined
  for (let attempt = 1; at < to; attempt += 1) {
    const range = { start: current.start + at, end: current.start + to }
    const stream = await parts.client.get(current.object, range)
    if (stream === undefined) {
      const now = await locate(parts, sha256)
      if (now === undefined || now.object === current.object || attempt > LOOKS)
        throw new DamagedContent(current, GONE)
      current = now
      continue
    }
    try {
      for await (const piece of stream as AsyncIterable<Buffer>) {
        digest?.update(piece)
        at += piece.length
        // The last piece is held back until all of them have been hashed.
        if (last !== undefined) yield last
        last = piece
      }
      if (at < to) throw new Error('The object store ended an answer early')
    } catch (error) {
      if (attempt > RESUMES) throw error
    } finally {
      stream.destroy()
    }
  }
  if (digest !== undefined && digest.digest('hex') !== sha256) throw new DamagedContent(current, CHANGED)
  if (last !== undefined) yield last
}
