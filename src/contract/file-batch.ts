import { showLimit } from './amounts.ts'

/** A content together with its SHA-1, as 40 hex digits. */
export interface BatchedFile {
  readonly sha1: string
  readonly bytes: Uint8Array
}

/** One batch is in memory as a whole, and is hashed in one go. */
export const BATCH_LIMITS = { files: 1000, fileBytes: 256 * 1024, bytes: 2 * 1024 * 1024 } as const

const LENGTH_BYTES = 4
const SHA1_BYTES = 20
const HEAD_BYTES = LENGTH_BYTES + SHA1_BYTES

/** What a content takes in a batch. */
export const batchedBytes = (size: number): number => HEAD_BYTES + size

/** The body of a batch. It needs nothing of Node, because browsers send it as well. */
export function packBatch(files: readonly BatchedFile[]): Uint8Array<ArrayBuffer> {
  const body = new Uint8Array(files.reduce((sum, { bytes }) => sum + batchedBytes(bytes.length), 0))
  const view = new DataView(body.buffer)
  let at = 0
  for (const { sha1, bytes } of files) {
    view.setUint32(at, bytes.length)
    for (let i = 0; i < SHA1_BYTES; i++)
      body[at + LENGTH_BYTES + i] = Number.parseInt(sha1.slice(2 * i, 2 * i + 2), 16)
    body.set(bytes, at + HEAD_BYTES)
    at += batchedBytes(bytes.length)
  }
  return body
}

/** The files of a batch, or what is wrong with it. */
export function unpackBatch(body: Uint8Array): readonly BatchedFile[] | string {
  const view = new DataView(body.buffer, body.byteOffset, body.length)
  const files: BatchedFile[] = []
  for (let at = 0; at < body.length; ) {
    if (body.length - at < HEAD_BYTES) return 'it ends in the middle of a file'
    const length = view.getUint32(at)
    if (length > BATCH_LIMITS.fileBytes)
      return `a file in it has more than ${showLimit(BATCH_LIMITS.fileBytes)}`
    if (body.length - at < batchedBytes(length)) return 'it ends in the middle of a file'
    if (files.length === BATCH_LIMITS.files) return `it has more than ${BATCH_LIMITS.files} files`
    files.push({
      sha1: hexOf(body.subarray(at + LENGTH_BYTES, at + HEAD_BYTES)),
      bytes: body.subarray(at + HEAD_BYTES, at + HEAD_BYTES + length),
    })
    at += batchedBytes(length)
  }
  return files.length === 0 ? 'it has no files' : files
}

const hexOf = (bytes: Uint8Array): string => {
  let hex = ''
  for (const byte of bytes) hex += byte.toString(16).padStart(2, '0')
  return hex
}
