import { type FileHandle, open, readdir } from 'node:fs/promises'
import type { Log } from '#core/ports/log.ts'
import { isMissing } from '../folder/disk.ts'
import type { Layout } from '../folder/layout.ts'
import type { BlobIndex } from '../index/blob-index.ts'
import type { IndexRows, Pack } from '../index/index-rows.ts'
import { dropPack } from './pack-writer.ts'
import { type PackRecord, recordBytes, scanRecords } from './record.ts'

const RECORDS_AT_ONCE = 512

/**
 * Brings the index up to date with the packs that no living writer owns. After a killed process that is at most the
 * end of one batch; after a power cut, what the index had not yet synced; without an index, everything. Answers the
 * names of contents that the index had and that are in no pack any more.
 */
export async function recoverPacks(
  layout: Layout,
  index: BlobIndex,
  live: ReadonlySet<string>,
  log: Log,
): Promise<readonly string[]> {
  // Files before rows: living writers announce a pack before they create it, and forget it after they removed it.
  const files = (await readdir(layout.packs)).sort()
  const rows = await index.read((all) => all.packs())
  const known = new Map(rows.map((pack) => [pack.name, pack]))
  const isOwned = (pack: Pack) => pack.owner !== undefined && live.has(pack.owner)

  const present = new Set(files)
  const lost: string[] = []
  for (const pack of rows)
    if (!present.has(pack.name) && !isOwned(pack)) lost.push(...(await forgetLost(index, pack, log)))

  for (const name of files) {
    const pack = known.get(name)
    if (pack !== undefined && isOwned(pack)) continue
    const handle = await openIfThere(layout.packPath(name))
    if (handle === undefined) continue
    try {
      lost.push(...(await recoverPack(layout, index, handle, pack ?? (await announce(index, name)), log)))
    } finally {
      await handle.close()
    }
  }
  return findAbsent(index, lost)
}

/** Those that were not found in another pack. */
export async function findAbsent(index: BlobIndex, sha256s: readonly string[]): Promise<readonly string[]> {
  const absent: string[] = []
  for (let at = 0; at < sha256s.length; at += RECORDS_AT_ONCE) {
    const some = sha256s.slice(at, at + RECORDS_AT_ONCE)
    const found = await index.read((rows) => new Set(rows.findMany(some).map(({ sha256 }) => sha256)))
    absent.push(...some.filter((sha256) => !found.has(sha256)))
  }
  return absent
}

async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r+')
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

const announce = (index: BlobIndex, name: string): Promise<Pack> =>
  index.write((rows) => ({ id: rows.addPack(name, null), name, owner: undefined, size: 0, dead: 0 }))

/** Compaction removes a pack before the index must have it on disk; the contents are then in the end of another. */
async function forgetLost(index: BlobIndex, pack: Pack, log: Log): Promise<readonly string[]> {
  const lost = await index.write((rows) => {
    rows.dropPack(pack.id)
    return rows.removeOf(pack.id)
  })
  if (lost.length > 0) log.warn({ pack: pack.name, blobs: lost.length }, 'a pack of the blob store is gone')
  return lost
}

async function recoverPack(
  layout: Layout,
  index: BlobIndex,
  handle: FileHandle,
  pack: Pack,
  log: Log,
): Promise<readonly string[]> {
  const { size } = await handle.stat()
  let end = Math.min(size, pack.size)
  let lost: readonly string[] = []
  if (size < pack.size) {
    lost = await index.write((rows) => {
      rows.setSize(pack.id, size)
      return rows.removeBeyond(pack.id, size)
    })
    log.error({ pack: pack.name, blobs: lost.length }, 'a pack of the blob store is shorter than it was')
  }
  if (size > pack.size) {
    // Whoever wrote the end may have died before it was synced, and only what is durable may be found.
    await handle.datasync()
    end = await noteTail(index, handle, pack, size)
    log.info({ pack: pack.name, bytes: end - pack.size, torn: size - end }, 'recovered the end of a pack')
    await handle.truncate(end)
  }
  if (end === 0) await dropPack(layout, index, pack)
  else if (pack.owner !== undefined) await index.write((rows) => rows.release(pack.id))
  return lost
}

async function noteTail(index: BlobIndex, handle: FileHandle, pack: Pack, size: number): Promise<number> {
  let end = pack.size
  let found: PackRecord[] = []
  const note = async () => {
    const records = found
    found = []
    const noted = await index.write((rows) => {
      // A sealed pack may meanwhile be compacted by a living process, which only looks at what the index knows.
      const ours = rows.pack(pack.id)
      if (ours === undefined || ours.owner !== pack.owner) return false
      noteRecords(rows, pack.id, end, records)
      return true
    })
    if (noted) end = records.at(-1)?.end ?? end
  }
  for await (const record of scanRecords(handle, pack.size, size)) {
    found.push(record)
    if (found.length === RECORDS_AT_ONCE) await note()
  }
  await note()
  return end
}

/** Gaps of damage between records count as dead, so that compaction takes them out. */
function noteRecords(rows: IndexRows, pack: number, from: number, records: readonly PackRecord[]): void {
  let end = from
  for (const { sha256, bytes, putAt, offset, end: recordEnd } of records) {
    const length = recordBytes(bytes.length)
    const stored = rows.insert({ sha256, size: bytes.length, putAt }, { pack, offset })
    const dead = recordEnd - length - end + (stored ? 0 : length)
    if (dead > 0) rows.addDead(pack, dead)
    end = recordEnd
  }
  rows.setSize(pack, end)
}
