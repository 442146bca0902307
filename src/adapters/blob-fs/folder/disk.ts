import { chmod, type FileHandle, mkdir, unlink } from 'node:fs/promises'
import { BlobError } from '#core/ports/blob-store.ts'
import { isMissing, isOutOfSpace } from '../../fs/error-code.ts'
import { isSqliteFull } from '../../sqlite/sqlite-error.ts'

export { codeOf, isMissing } from '../../fs/error-code.ts'

/** Blobs hold what users uploaded: nobody else on the machine reads them, and nobody executes them. */
export const FILE_MODE = 0o600
export const FOLDER_MODE = 0o700

export const isFull = (error: unknown): boolean => isOutOfSpace(error) || isSqliteFull(error)

/** What a caller is told of a failed write. */
export const toBlobError = (error: unknown): unknown =>
  isFull(error) ? new BlobError('no_space', 'The disk of the blob store is full', { cause: error }) : error

export async function makeFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: FOLDER_MODE })
  await chmod(path, FOLDER_MODE)
}

export async function removeIfThere(path: string): Promise<void> {
  await unlink(path).catch((error: unknown) => {
    if (!isMissing(error)) throw error
  })
}

/** A nearly full disk writes a part first and fails on the rest, so a short write is no success. */
export async function writeFully(handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  let written = 0
  while (written < bytes.length) {
    const { bytesWritten } = await handle.write(bytes, written, bytes.length - written, position + written)
    written += bytesWritten
  }
}

/** Fewer bytes than asked for only at the end of the file. */
export async function readFully(
  handle: Pick<FileHandle, 'read'>,
  length: number,
  position: number,
): Promise<Buffer> {
  // Not from the shared pool: callers keep what they read, and would keep the pool's slab with it.
  const bytes = Buffer.allocUnsafeSlow(length)
  let got = 0
  while (got < length) {
    const { bytesRead } = await handle.read(bytes, got, length - got, position + got)
    if (bytesRead === 0) break
    got += bytesRead
  }
  return bytes.subarray(0, got)
}
