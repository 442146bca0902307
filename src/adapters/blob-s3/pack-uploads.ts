import { hash, randomUUID } from 'node:crypto'
import type { Clock } from '#core/ports/clock.ts'
import { encodeRecord, HEADER_BYTES, recordBytes } from '../blob-fs/pack/record.ts'
import type { ContentIndex } from './content-index.ts'
import type { S3Client } from './s3-client.ts'

interface PackUploadsOptions {
  readonly client: Pick<S3Client, 'put'>
  readonly index: ContentIndex
  readonly clock: Clock
}

interface WaitingContent {
  readonly sha256: string
  readonly bytes: Uint8Array
  readonly done: PromiseWithResolvers<void>
}

/** No pack is larger, but for its last content. */
export const PACK_BYTES = 8 << 20
/** With so much waiting, another upload begins beside those under way. */
const WORTH_ANOTHER = 4 << 20
const AT_ONCE = 4
/** So soon after an upload, the next one waits this long for company. */
const BUSY_MS = 100
const LINGER_MS = 10

/**
 * Small contents on their way into packs. What comes while an upload is under way goes together in the next one, so
 * that the number of uploads depends on the time they take and not on the number of contents.
 */
export class PackUploads {
  readonly #options: PackUploadsOptions
  #waiting: WaitingContent[] = []
  #bytes = 0
  #underWay = 0
  #isDue = false
  #endedAt = Number.NEGATIVE_INFINITY
  #idle: PromiseWithResolvers<void> | undefined

  constructor(options: PackUploadsOptions) {
    this.#options = options
  }

  /** Resolves when it is in the store and in the index. */
  add(sha256: string, bytes: Uint8Array): Promise<void> {
    const done = Promise.withResolvers<void>()
    this.#waiting.push({ sha256, bytes, done })
    this.#bytes += bytes.length
    this.#schedule()
    return done.promise
  }

  async idle(): Promise<void> {
    if (this.#underWay === 0 && this.#waiting.length === 0) return
    this.#idle ??= Promise.withResolvers()
    await this.#idle.promise
  }

  /** Whatever is put in the same moment goes along; and while much comes, so does what is put a little later. */
  #schedule(): void {
    if (this.#isDue || this.#waiting.length === 0) return
    this.#isDue = true
    const next = () => {
      this.#isDue = false
      this.#next()
    }
    if (performance.now() - this.#endedAt < BUSY_MS) setTimeout(next, LINGER_MS)
    else setImmediate(next)
  }

  #next(): void {
    while (this.#waiting.length > 0) {
      const isWorthIt = this.#bytes >= WORTH_ANOTHER && this.#underWay < AT_ONCE
      if (this.#underWay > 0 && !isWorthIt) return
      const batch = this.#take()
      this.#underWay += 1
      void this.#upload(batch)
        .then(
          () => batch.forEach(({ done }) => void done.resolve()),
          (error: unknown) => batch.forEach(({ done }) => void done.reject(error)),
        )
        .finally(() => {
          this.#underWay -= 1
          this.#endedAt = performance.now()
          this.#schedule()
          if (this.#underWay === 0 && this.#waiting.length === 0) this.#idle?.resolve()
        })
    }
  }

  #take(): WaitingContent[] {
    let bytes = 0
    let count = 0
    while (count < this.#waiting.length && bytes < PACK_BYTES)
      bytes += recordBytes(this.#waiting[count++]?.bytes.length ?? 0)
    const batch = this.#waiting.splice(0, count)
    for (const each of batch) this.#bytes -= each.bytes.length
    return batch
  }

  async #upload(batch: readonly WaitingContent[]): Promise<void> {
    const { client, index, clock } = this.#options
    const putAt = Math.round(clock.now())
    const distinct = new Map(batch.map(({ sha256, bytes }) => [sha256, bytes]))
    const there = await index.touch([...distinct.keys()], putAt)
    const fresh = [...distinct].filter(([sha256]) => !there.has(sha256))
    if (fresh.length === 0) return
    const pack = makePack(fresh.map(([sha256, bytes]) => ({ sha256, bytes, putAt })))
    const key = newPackKey()
    await index.noteUpload(key, putAt)
    await client.put(key, pack.bytes)
    await index.add({ key, size: pack.bytes.length }, pack.contents)
  }
}

/** Nothing in a name tells what is in it, and no two uploads have the same: a repeat never meets a removal. */
export const newPackKey = (): string => {
  const id = randomUUID().replaceAll('-', '')
  return `packs/${id.slice(0, 2)}/${id}`
}

interface PackContent {
  readonly sha256: string
  readonly start: number
  readonly size: number
  readonly putAt: number
}

/** A pack is made of the same records as those on disk, so that its contents can be told without an index. */
export function makePack(
  sources: readonly { readonly sha256: string; readonly bytes: Uint8Array; readonly putAt: number }[],
): { readonly bytes: Buffer; readonly contents: readonly PackContent[] } {
  const bytes = Buffer.allocUnsafe(sources.reduce((sum, source) => sum + recordBytes(source.bytes.length), 0))
  let at = 0
  const contents = sources.map((source) => {
    const start = at + HEADER_BYTES
    at = encodeRecord(bytes, at, source)
    return { sha256: source.sha256, start, size: source.bytes.length, putAt: source.putAt }
  })
  return { bytes, contents }
}

/** The content at a place of a pack, or nothing where it is not what its name says. */
export function contentIn(
  pack: Buffer,
  { sha256, start, size }: { readonly sha256: string; readonly start: number; readonly size: number },
): Buffer | undefined {
  const bytes = pack.subarray(start, start + size)
  return bytes.length === size && hash('sha256', bytes) === sha256 ? bytes : undefined
}
