import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import type { BlobDigest } from '#core/ports/blob-store.ts'
import { writeFully } from './disk.ts'

/** Where a large content is hashed and written to its file, chunk by chunk. */
export interface Intake {
  /** Resolves when there is room for more. A chunk that is ours must not be used afterwards, any other may. */
  add(chunk: Uint8Array, isOurs: boolean): Promise<void>
  /** Everything is with the kernel, though not yet durable. */
  finish(): Promise<BlobDigest>
  /** Forgets a content that will not be finished. Resolves when its file is no longer written to. */
  drop(): Promise<void>
}

/** On the event loop: for contents that are not worth a thread. */
export function inlineIntake(handle: FileHandle): Intake {
  const sha1 = createHash('sha1')
  const sha256 = createHash('sha256')
  let size = 0
  return {
    async add(chunk, isOurs) {
      sha1.update(chunk)
      sha256.update(chunk)
      await writeFully(handle, chunk, size)
      size += chunk.length
      if (isOurs && isWhole(chunk)) giveBack(chunk)
    },
    finish: async () => ({ sha256: sha256.digest('hex'), sha1: sha1.digest('hex'), size }),
    async drop() {},
  }
}

/** One that is part of something larger may have neighbours that somebody still reads. */
export const isWhole = (chunk: Uint8Array): chunk is Uint8Array<ArrayBuffer> =>
  chunk.buffer instanceof ArrayBuffer && chunk.buffer.byteLength === chunk.byteLength

/**
 * Gives the memory of a chunk back at once. Left to the garbage collector, which V8 starts for every few dozen megabytes of
 * such memory, it costs more than everything else about an upload: each time the whole heap is marked, and visitors wait.
 */
export function giveBack(chunk: Uint8Array<ArrayBuffer>): void {
  chunk.buffer.transfer(0)
}
