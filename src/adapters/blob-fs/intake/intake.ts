import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { freeChunk } from '#core/chunks.ts'
import type { BlobDigest } from '#core/ports/blob-store.ts'
import { writeFully } from '../folder/disk.ts'

/** Where a large content is hashed and written to its file, chunk by chunk. */
export interface Intake {
  /**
   * Answers with a promise, which resolves when there is room for more, if there is none now. A chunk that is ours must not be
   * used afterwards, any other may.
   */
  add(chunk: Uint8Array, isOurs: boolean): Promise<void> | undefined
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
      if (isOurs) freeChunk(chunk)
    },
    finish: async () => ({ sha256: sha256.digest('hex'), sha1: sha1.digest('hex'), size }),
    async drop() {},
  }
}
