import { DAY, MINUTE } from '#contract/time.ts'
import type { Clock } from '#core/ports/clock.ts'
import type { Log } from '#core/ports/log.ts'
import type { ContentIndex, PlacedContent, StoredObject } from './content-index.ts'
import { contentIn, makePack, newPackKey, PACK_BYTES } from './pack-uploads.ts'
import type { S3Client } from './s3-client.ts'

interface TidyOptions {
  readonly client: S3Client
  readonly index: ContentIndex
  readonly clock: Clock
  readonly log: Log
  readonly signal: AbortSignal
}

/** An object that nothing is in any more is removed after this time: who has just looked it up still reads it. */
const UNUSED_KEPT = 10 * MINUTE
/** One in which something was found damaged is kept for as long as it may turn out that the store had answered wrong. */
const SUSPECT_KEPT = 30 * DAY
/** No upload takes longer. */
const LONGEST_UPLOAD = DAY
const AT_ONCE = 500
/** Fewer small packs are not worth putting together. */
const WORTH_MERGING = 8

/** Removes objects that nothing is in, takes back uploads that never ended, and puts together what is left of packs. */
export async function tidy(options: TidyOptions): Promise<void> {
  await removeUnused(options)
  await mergePacks(options)
}

async function removeUnused({ client, index, clock, signal }: TidyOptions): Promise<void> {
  const now = clock.now()
  for (;;) {
    const keys = await index.removable(now - UNUSED_KEPT, now - LONGEST_UPLOAD, now - SUSPECT_KEPT, AT_ONCE)
    for (const key of keys) {
      if (signal.aborted) return
      if (key.startsWith('large/'))
        for (const upload of await client.unfinished(key))
          await client.abortParts(upload.key, upload.uploadId)
      await client.remove(key)
      await index.forget(key)
    }
    if (keys.length < AT_ONCE) return
  }
}

async function mergePacks(options: TidyOptions): Promise<void> {
  const { index, signal } = options
  const packs = await index.wasteful(AT_ONCE)
  const emptyEnough = packs.some(({ size }) => size >= PACK_BYTES / 8)
  if (packs.length < WORTH_MERGING && !emptyEnough) return
  let group: TakenContents[] = []
  let bytes = 0
  for (const pack of packs) {
    if (signal.aborted) return
    const taken = await takeFrom(options, pack)
    if (taken === undefined) continue
    group.push(taken)
    bytes += taken.contents.reduce((sum, { content }) => sum + content.size, 0)
    if (bytes < PACK_BYTES) continue
    await writeMerged(options, group)
    group = []
    bytes = 0
  }
  // One pack alone would only be copied.
  if (group.length > 1 || bytes * 2 < (group[0]?.pack.size ?? 0)) await writeMerged(options, group)
}

interface TakenContents {
  readonly pack: StoredObject
  readonly contents: readonly { readonly content: PlacedContent; readonly bytes: Buffer }[]
}

/** A pack with something in it that is damaged stays as it is: whoever reads that will note it. */
async function takeFrom(
  { client, index, log }: TidyOptions,
  pack: StoredObject,
): Promise<TakenContents | undefined> {
  const contents = await index.contentsOf(pack.key)
  const whole = contents.length === 0 ? Buffer.alloc(0) : await client.getBytes(pack.key)
  const taken = contents.map((content) => ({ content, bytes: whole && contentIn(whole, content) }))
  const sound = taken.flatMap(({ content, bytes }) => (bytes === undefined ? [] : [{ content, bytes }]))
  if (sound.length === taken.length) return { pack, contents: sound }
  log.warn({ object: pack.key }, 'a pack in the object store is damaged')
  return undefined
}

async function writeMerged(
  { client, index, clock }: TidyOptions,
  group: readonly TakenContents[],
): Promise<void> {
  const now = Math.round(clock.now())
  const sources = group.flatMap(({ contents }) =>
    contents.map(({ content: { sha256, putAt }, bytes }) => ({ sha256, putAt, bytes })),
  )
  if (sources.length === 0) return
  const merged = makePack(sources)
  const object = { key: newPackKey(), size: merged.bytes.length }
  await index.noteUpload(object.key, now)
  await client.put(object.key, merged.bytes)
  const places = new Map(merged.contents.map(({ sha256, start }) => [sha256, start]))
  for (const { pack, contents } of group)
    await index.move(
      pack.key,
      object,
      contents.map(({ content }) => ({
        ...content,
        object: object.key,
        start: places.get(content.sha256) ?? 0,
      })),
      now,
    )
}
