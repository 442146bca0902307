import { open } from 'node:fs/promises'
import { BlobError } from '#core/ports/blob-store.ts'
import type { Layout } from '../folder/layout.ts'
import type { BlobIndex } from '../index/blob-index.ts'
import type { Pack } from '../index/index-rows.ts'
import { dropPack, type PackWriter } from './pack-writer.ts'
import { scanRecords } from './record.ts'

const BYTES_AT_ONCE = 4 << 20

interface CompactionOptions {
  readonly layout: Layout
  readonly index: BlobIndex
  readonly owner: string
  readonly writer: PackWriter
  /** An own pack in use is only worth leaving when it holds at least this much. */
  readonly minBytes: number
  readonly signal: AbortSignal
  /** Told of contents that could not be read and are absent now. */
  readonly onLost: (sha256s: readonly string[]) => Promise<void>
}

const isWasteful = ({ size, dead }: Pack) => dead * 2 > size

/**
 * Copies what lives out of sealed packs that are mostly dead, and removes them. Readers in any process go on: an open
 * file stays readable after it is removed, and one who comes too late to open it looks again and finds the copy.
 */
export async function compactPacks(options: CompactionOptions): Promise<void> {
  const { index, owner, writer, minBytes, signal } = options
  const own = await index.read((rows) => (writer.packId === undefined ? undefined : rows.pack(writer.packId)))
  if (own !== undefined && own.size >= minBytes && isWasteful(own)) await writer.seal()

  const wasteful = await index.read((rows) =>
    rows.packs().filter((pack) => pack.owner === undefined && isWasteful(pack)),
  )
  const failures: unknown[] = []
  // The emptiest first: those give the most space back and need the least, which matters on a full disk.
  for (const { id } of wasteful.sort((a, b) => a.size - a.dead - (b.size - b.dead))) {
    if (signal.aborted) return
    const pack = await index.write((rows) => (rows.claim(id, owner) ? rows.pack(id) : undefined))
    if (pack === undefined) continue
    try {
      if (await moveLiving(pack, options)) await dropPack(options.layout, index, pack)
    } catch (error) {
      // One that cannot be read must not keep the space of all others; where there is no room for one, there is none for the next.
      if (error instanceof BlobError && error.kind === 'no_space') throw error
      failures.push(error)
    } finally {
      await index.write((rows) => rows.release(id))
    }
  }
  if (failures.length > 0) throw failures[0]
}

/** False where it was interrupted. */
async function moveLiving(
  pack: Pack,
  { layout, index, writer, signal, onLost }: CompactionOptions,
): Promise<boolean> {
  if (pack.dead < pack.size) {
    const handle = await open(layout.packPath(pack.name), 'r')
    try {
      let moving: Promise<void>[] = []
      let bytes = 0
      for await (const record of scanRecords(handle, 0, pack.size)) {
        const place = await index.read((rows) => rows.find(record.sha256))
        if (place?.pack !== pack.id || place.offset !== record.offset) continue
        const from = { pack: pack.id, offset: record.offset }
        const move = writer.add({ ...record, putAt: place.putAt, from })
        // Heard of below; until then it is not an unhandled failure.
        move.catch(() => undefined)
        moving.push(move)
        bytes += record.bytes.length
        if (bytes < BYTES_AT_ONCE) continue
        await Promise.all(moving)
        if (signal.aborted) return false
        moving = []
        bytes = 0
      }
      await Promise.all(moving)
    } finally {
      await handle.close()
    }
  }
  // What the index still points to could not be read: it is lost, and saying so lets it be put again.
  const lost = await index.write((rows) => {
    const left = rows.pack(pack.id)
    return left !== undefined && left.dead < left.size ? rows.removeOf(pack.id) : []
  })
  await onLost(lost)
  return true
}
