import { randomBytes } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { Clock } from '#core/ports/clock.ts'
import type { Log } from '#core/ports/log.ts'
import type { ContentIndex } from './content-index.ts'
import type { S3Client } from './s3-client.ts'

interface LargeUploadsOptions {
  readonly client: S3Client
  readonly index: ContentIndex
  readonly clock: Clock
  readonly log: Log
}

/** Contents up to this size are sent whole. */
export const PART_BYTES = 8 << 20
/** The store takes ten thousand. */
const MOST_PARTS = 9_000
const PARTS_AT_ONCE = 3

interface LargeContent {
  readonly sha256: string
  readonly size: number
  /** Opened when it is known that the content is not in the store. */
  readonly open: () => Promise<Readable>
}

/** Puts a content into an object of its own. Resolves when it is in the store and in the index. */
export async function uploadLarge(options: LargeUploadsOptions, content: LargeContent): Promise<void> {
  const { client, index, clock } = options
  const { sha256, size } = content
  const putAt = Math.round(clock.now())
  if ((await index.touch([sha256], putAt)).has(sha256)) return
  // Never the same name twice: an upload never meets the removal of an earlier one.
  const key = `large/${sha256.slice(0, 2)}/${sha256}-${randomBytes(8).toString('hex')}`
  await index.noteUpload(key, putAt)
  await send(options, key, content)
  if ((await index.add({ key, size }, [{ sha256, start: 0, size, putAt }])) > 0) return
  // Somebody else was faster.
  await client.remove(key)
  await index.forget(key)
}

async function send(options: LargeUploadsOptions, key: string, { size, open }: LargeContent): Promise<void> {
  const { client, index, log } = options
  const source = await open()
  let uploadId: string | undefined
  const tags: Promise<string>[] = []
  try {
    const partBytes = Math.max(PART_BYTES, Math.ceil(size / MOST_PARTS))
    if (size > partBytes) uploadId = await client.beginParts(key)
    for await (const bytes of inParts(source, partBytes)) {
      if (uploadId === undefined) return await client.put(key, bytes)
      const tag = client.putPart(key, uploadId, tags.length + 1, bytes)
      // Heard of below; until then it is not an unhandled failure.
      tag.catch(() => undefined)
      tags.push(tag)
      await tags[tags.length - PARTS_AT_ONCE]
    }
    if (uploadId !== undefined) await client.endParts(key, uploadId, await Promise.all(tags))
  } catch (error) {
    // What cannot be taken back now is found by its note in the index, later.
    const takeBack = async () => {
      // A part that comes after the upload was given up would stay.
      await Promise.allSettled(tags)
      if (uploadId !== undefined) await client.abortParts(key, uploadId)
      await client.remove(key)
      await index.forget(key)
    }
    await takeBack().catch((err: unknown) =>
      log.warn({ err, object: key }, 'an upload that failed is still there'),
    )
    throw error
  } finally {
    source.destroy()
  }
}

async function* inParts(source: AsyncIterable<Buffer>, size: number): AsyncGenerator<Buffer> {
  let part = Buffer.allocUnsafe(size)
  let filled = 0
  for await (const chunk of source) {
    let taken = 0
    while (taken < chunk.length) {
      const count = Math.min(chunk.length - taken, size - filled)
      part.set(chunk.subarray(taken, taken + count), filled)
      taken += count
      filled += count
      if (filled < size) continue
      yield part
      // The one before is still on its way.
      part = Buffer.allocUnsafe(size)
      filled = 0
    }
  }
  if (filled > 0) yield part.subarray(0, filled)
}
