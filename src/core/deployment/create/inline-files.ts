import { createHash } from 'node:crypto'
import type { Owner } from '../../access/context.ts'
import type { FileStore, UploadedFile } from '../../file/file-store.ts'
import { asAnswer } from '../../file/files.ts'
import { newBytes } from '../../file/new-bytes.ts'
import type { BlobStore } from '../../ports/blob-store.ts'
import type { Clock } from '../../ports/clock.ts'
import { inSlices, sortInSlices } from '../../slices.ts'
import type { ContentRoom, Room } from '../../usage/content-room.ts'
import type { InlineFile, RequestedFiles } from '../file/manifest.ts'

/** Few enough to be in memory twice, and for a commit of some milliseconds. */
const CONTENT_BATCH = 1000
const ROW_BATCH = 2000
/** Few enough to be a small part of the transaction of a deployment. */
const FEW_ROWS = 50

/** Inline files by their path, after their content was stored. */
export type StoredInline = ReadonlyMap<string, UploadedFile>

/** What came inside a request. */
export interface Inline {
  readonly byPath: StoredInline
  /** Those that are still to be added to what the account has, and the room that was taken for them. */
  readonly rows: readonly UploadedFile[]
  readonly room: Room | undefined
}

interface InlineFilesParts {
  readonly files: Pick<FileStore, 'add' | 'claim'>
  readonly content: ContentRoom
  readonly blobs: BlobStore
  readonly clock: Clock
}

/** The files that come inside of requests, and their place among those of an account. */
export function createInlineFiles({ files, content, blobs, clock }: InlineFilesParts) {
  /**
   * Stores what came inside the request. Many rows are written a batch at a time and before the deployment's own transaction, so
   * that others write in between. A few are left to that transaction, which saves one; unless some files are named by what others
   * bring, for that is looked up before.
   */
  async function store(owner: Owner, { inline, all }: RequestedFiles): Promise<Inline> {
    const room = await roomFor(owner, inline)
    try {
      const byPath = await storeContents(inline)
      // In the order of the index, in which neighbours are written together.
      const rows = await sortInSlices([...byPath.values()], (a, b) => (a.sha1 < b.sha1 ? -1 : 1))
      if (rows.length <= FEW_ROWS && inline.length === all.list.length) return { byPath, rows, room }
      await addRows(owner, rows, room.limit)
      room.release()
      return { byPath, rows: [], room: undefined }
    } catch (error) {
      room.release()
      throw error
    }
  }

  /** What the account has already takes no room; that is found out only where it matters. */
  async function roomFor(owner: Owner, inline: readonly InlineFile[]): Promise<Room> {
    const total = inline.reduce((sum, { size }) => sum + size, 0)
    try {
      return await content.take(owner, total)
    } catch {
      const contents: { sha1: string; size: number }[] = []
      await inSlices(inline, ({ bytes }) =>
        contents.push({ sha1: createHash('sha1').update(bytes).digest('hex'), size: bytes.length }),
      )
      return content.take(owner, await newBytes(files, owner.id, contents, clock.now()))
    }
  }

  async function storeContents(inline: readonly InlineFile[]): Promise<StoredInline> {
    const stored = new Map<string, UploadedFile>()
    for (let start = 0; start < inline.length; start += CONTENT_BATCH) {
      const batch = inline.slice(start, start + CONTENT_BATCH)
      const contents = await Promise.all(batch.map(({ bytes }) => blobs.putBytes(bytes))).catch(asAnswer)
      for (const [i, file] of batch.entries()) {
        const taken = contents[i] as UploadedFile
        file.sha1 = taken.sha1
        stored.set(file.path, taken)
      }
    }
    return stored
  }

  async function addRows(owner: Owner, rows: readonly UploadedFile[], limit: Room['limit']): Promise<void> {
    for (let start = 0; start < rows.length; start += ROW_BATCH)
      await files.add(owner.id, rows.slice(start, start + ROW_BATCH), clock.now(), limit)
  }

  return { store, addRows }
}
