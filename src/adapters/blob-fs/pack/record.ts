import { hash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { readFully } from '../folder/disk.ts'

/**
 * A pack is a row of records and nothing else, so that the index can be made anew from packs alone:
 *
 *   0  magic with the version of the format
 *   4  length of the content, u32
 *   8  time of the put, milliseconds, f64
 *  16  SHA-256 of the content, which is also its checksum
 *  48  CRC-32 of the 48 bytes before
 *  52  the content
 */
const MAGIC = Buffer.from('ALB1', 'latin1')
const CRC_AT = 48
export const HEADER_BYTES = 52

/** No content in a pack is longer: a length beyond it in a header is damage. */
export const MAX_CONTENT_BYTES = 1 << 20

/** Holds the longest record, so that one which starts a window always ends in it. */
const WINDOW_BYTES = HEADER_BYTES + MAX_CONTENT_BYTES

export interface RecordSource {
  readonly sha256: string
  readonly bytes: Uint8Array
  readonly putAt: number
}

export interface PackRecord extends RecordSource {
  /** Where the content starts in the pack, and where the record ends. */
  readonly offset: number
  readonly end: number
}

export const recordBytes = (contentLength: number): number => HEADER_BYTES + contentLength

/** Writes the record at `at` and returns where it ends. */
export function encodeRecord(into: Buffer, at: number, { sha256, bytes, putAt }: RecordSource): number {
  MAGIC.copy(into, at)
  into.writeUInt32LE(bytes.length, at + 4)
  into.writeDoubleLE(putAt, at + 8)
  into.write(sha256, at + 16, 'hex')
  into.writeUInt32LE(crc32(into.subarray(at, at + CRC_AT)), at + CRC_AT)
  into.set(bytes, at + HEADER_BYTES)
  return at + recordBytes(bytes.length)
}

/** The length of the content that a sound header announces. */
function readLength(bytes: Buffer, at: number): number | undefined {
  if (bytes.length - at < HEADER_BYTES || MAGIC.compare(bytes, at, at + MAGIC.length) !== 0) return undefined
  if (crc32(bytes.subarray(at, at + CRC_AT)) !== bytes.readUInt32LE(at + CRC_AT)) return undefined
  const length = bytes.readUInt32LE(at + 4)
  return length <= MAX_CONTENT_BYTES ? length : undefined
}

/**
 * Every whole record between two places of a pack. What is torn or damaged is stepped over to the next sound record,
 * so that one bad sector costs one record and not the rest of the pack.
 */
export async function* scanRecords(handle: FileHandle, from: number, to: number): AsyncGenerator<PackRecord> {
  let start = from
  for (;;) {
    const window = await readFully(handle, Math.min(WINDOW_BYTES, to - start), start)
    const last = window.length < WINDOW_BYTES
    let at = 0
    while (window.length - at >= HEADER_BYTES) {
      const length = readLength(window, at)
      if (length !== undefined) {
        const end = at + recordBytes(length)
        if (end > window.length && !last) break
        const record = end > window.length ? undefined : readRecord(window, at, end, start)
        if (record !== undefined) {
          yield record
          at = end
          continue
        }
      }
      const next = window.indexOf(MAGIC, at + 1)
      at = next === -1 ? Math.max(at + 1, window.length - MAGIC.length + 1) : next
    }
    if (last) return
    start += at
  }
}

function readRecord(window: Buffer, at: number, end: number, start: number): PackRecord | undefined {
  const sha256 = window.toString('hex', at + 16, at + CRC_AT)
  const bytes = window.subarray(at + HEADER_BYTES, end)
  if (hash('sha256', bytes) !== sha256) return undefined
  return {
    sha256,
    bytes,
    putAt: window.readDoubleLE(at + 8),
    offset: start + at + HEADER_BYTES,
    end: start + end,
  }
}
