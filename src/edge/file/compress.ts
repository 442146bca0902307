import { promisify } from 'node:util'
import zlib, { constants } from 'node:zlib'
import type { Coding } from '#core/negotiation/encoding.ts'
import type { Effort } from './entity-tag.ts'

const brotli = promisify<Buffer, zlib.BrotliOptions, Buffer>(zlib.brotliCompress)
const gzip = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gzip)
const zstd = promisify<Buffer, zlib.ZstdOptions, Buffer>(zlib.zstdCompress)

/** Above this the last percents of size cost seconds of a core. */
const PAINSTAKING_BYTES = 256 * 1024

/** Compresses off the main thread: at once with little effort, or as small as can be for the visits to come. */
export function compress(bytes: Buffer, coding: Coding, effort: Effort): Promise<Buffer> {
  const painstaking = bytes.length <= PAINSTAKING_BYTES
  const level = (quick: number, good: number, best: number) =>
    effort === 'quick' ? quick : painstaking ? best : good
  switch (coding) {
    case 'br':
      return brotli(bytes, {
        params: {
          [constants.BROTLI_PARAM_QUALITY]: level(4, 9, 11),
          [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
        },
      })
    case 'zstd':
      return zstd(bytes, { params: { [constants.ZSTD_c_compressionLevel]: level(3, 12, 19) } })
    case 'gzip':
      return gzip(bytes, { level: level(5, 9, 9) })
  }
}

/** What another header and the client's work to undo it must at least gain. */
const MIN_GAIN = 64
const MIN_BYTES = 256

export const isTooSmall = (size: number): boolean => size < MIN_BYTES

export const isWorthwhile = (compressed: number, size: number): boolean => compressed + MIN_GAIN <= size
