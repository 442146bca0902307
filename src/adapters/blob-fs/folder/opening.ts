import { readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { BlobError } from '#core/ports/blob-store.ts'
import type { Log } from '#core/ports/log.ts'
import { giveUpReserve, keepReserve } from '../../fs/reserve.ts'
import { isDamaged } from '../../sqlite/sqlite-error.ts'
import { BlobIndex } from '../index/blob-index.ts'
import type { Pack } from '../index/index-rows.ts'
import { recoverPacks } from '../pack/recovery.ts'
import { isFull, isMissing, removeIfThere } from './disk.ts'
import { lockFile } from './file-lock.ts'
import { type Layout, makeLayout, RESERVE_BYTES } from './layout.ts'
import { enterWriter, findLiveWriters, type Writer } from './writers.ts'

interface OpenedFolder {
  readonly index: BlobIndex
  readonly writer: Writer
  /** An unfinished pack of a writer that is gone, now ours, so that restarts do not leave ever more small packs. */
  readonly pack: Pack | undefined
  /** Contents that were here when the folder was used last. */
  readonly lost: readonly string[]
}

/**
 * Opens the folder for one more writer. Stores open one after the other, so that none looks up a content while another
 * is still recovering it, and so that a living writer is never taken for a dead one.
 */
export async function openFolder(layout: Layout, log: Log, packBytes: number): Promise<OpenedFolder> {
  await makeLayout(layout)
  const opening = await lockFile(layout.openingLock)
  try {
    // A full disk must not keep a store from opening: nothing could be deleted any more.
    const opened = await enterFolder(layout, log, packBytes).catch(async (error: unknown) => {
      if (!isFull(error)) throw error
      await giveUpReserve(layout.reserve)
      return enterFolder(layout, log, packBytes).catch((cause: unknown) => {
        if (!isFull(cause)) throw cause
        const where = dirname(layout.index)
        throw new BlobError(
          'no_space',
          `No space is left on the disk of ${where}: free some, then start again`,
          {
            cause,
          },
        )
      })
    })
    await keepReserve(layout.reserve, RESERVE_BYTES)
    return opened
  } finally {
    opening.release()
  }
}

async function enterFolder(layout: Layout, log: Log, packBytes: number): Promise<OpenedFolder> {
  const live = await findLiveWriters(layout.writers)
  await removeAbandoned(layout.temp, live)
  const index = await openIndex(layout, live, log)
  let writer: Writer | undefined
  try {
    const lost = await recoverPacks(layout, index, live, log)
    writer = enterWriter(layout.writers)
    return { index, writer, pack: await takeOverPack(index, writer.id, packBytes), lost }
  } catch (error) {
    await index.close()
    await writer?.leave()
    throw error
  }
}

/** Temporary files are named `<writer>.<number>`. */
async function removeAbandoned(folder: string, live: ReadonlySet<string>): Promise<void> {
  for (const file of await readdir(folder)) {
    const [owner = ''] = file.split('.')
    if (!live.has(owner)) await removeIfThere(join(folder, file))
  }
}

async function openIndex(layout: Layout, live: ReadonlySet<string>, log: Log): Promise<BlobIndex> {
  const there = await stat(layout.index).then(
    () => true,
    (error: unknown) => {
      if (isMissing(error)) return false
      throw error
    },
  )
  if (!there) return createIndex(layout, live, log)
  try {
    return new BlobIndex(layout.index, log)
  } catch (error) {
    if (!isDamaged(error)) throw error
    log.warn({ err: error }, 'the index of the blob store is damaged and is made anew from the packs')
    return createIndex(layout, live, log)
  }
}

async function createIndex(layout: Layout, live: ReadonlySet<string>, log: Log): Promise<BlobIndex> {
  if (live.size > 0)
    throw new Error(
      'The index of the blob store is missing or damaged while other processes use it: stop them first',
    )
  for (const suffix of ['', '-wal', '-shm']) await removeIfThere(`${layout.index}${suffix}`)
  return new BlobIndex(layout.index, log)
}

/** The fullest, so that the number of unfinished packs shrinks to that of the writers. */
async function takeOverPack(index: BlobIndex, owner: string, packBytes: number): Promise<Pack | undefined> {
  return index.write((rows) => {
    const free = rows.packs().filter((pack) => pack.owner === undefined && isWorthFilling(pack, packBytes))
    const [pack] = free.sort((a, b) => b.size - a.size)
    if (pack === undefined || !rows.claim(pack.id, owner)) return undefined
    return pack
  })
}

const isWorthFilling = ({ size, dead }: Pack, packBytes: number) =>
  size < packBytes * 0.75 && dead * 2 <= size
