import { type Framing, MalformedResponseError } from './response-head.ts'

/** Takes the framing off the body of a message. */
export interface BodyDecoder {
  /**
   * Adds what the bytes hold of the body to `out` and answers how many of them belong to the message. Throws if
   * they cannot be a part of it.
   */
  decode(bytes: Buffer, out: Buffer[]): number
  /** Whether all of the message was there. */
  readonly isDone: boolean
}

export function createBodyDecoder(framing: Framing): BodyDecoder {
  if (framing === 'chunked') return new ChunkedDecoder()
  return new PlainDecoder(framing === 'until-close' ? Number.POSITIVE_INFINITY : framing)
}

/** So many bytes as they are, or all until the connection ends. */
class PlainDecoder implements BodyDecoder {
  #left: number

  constructor(length: number) {
    this.#left = length
  }

  get isDone(): boolean {
    return this.#left === 0
  }

  decode(bytes: Buffer, out: Buffer[]): number {
    const taken = Math.min(bytes.length, this.#left)
    this.#left -= taken
    if (taken > 0) out.push(taken === bytes.length ? bytes : bytes.subarray(0, taken))
    return taken
  }
}

/** A line that announces a chunk, with what extensions there may be, or all trailers together. */
const MAX_LINE_BYTES = 1024
const MAX_TRAILER_BYTES = 16 * 1024
const SIZE = /^([\da-f]{1,8})(?:[\t ]*;[\t\x20-\x7e\x80-\xff]*)?$/i

const CR = 13
const LF = 10

/** Chunks that are announced by their lengths. Trailers are dropped. */
class ChunkedDecoder implements BodyDecoder {
  #state: 'size' | 'data' | 'data-end' | 'trailer' | 'done' = 'size'
  /** The beginning of a line whose end has not come yet. */
  #line = ''
  #left = 0
  #trailerBytes = 0

  get isDone(): boolean {
    return this.#state === 'done'
  }

  decode(bytes: Buffer, out: Buffer[]): number {
    let at = 0
    while (at < bytes.length && this.#state !== 'done') {
      if (this.#state === 'data') at = this.#takeData(bytes, at, out)
      else at = this.#takeLine(bytes, at)
    }
    return at
  }

  #takeData(bytes: Buffer, at: number, out: Buffer[]): number {
    const end = Math.min(bytes.length, at + this.#left)
    out.push(bytes.subarray(at, end))
    this.#left -= end - at
    if (this.#left === 0) this.#state = 'data-end'
    return end
  }

  #takeLine(bytes: Buffer, at: number): number {
    const end = bytes.indexOf(LF, at)
    const part = bytes.toString('latin1', at, end < 0 ? Math.min(bytes.length, at + 2 * MAX_LINE_BYTES) : end)
    const line = this.#line + part
    this.#checkLength(line, part.length)
    if (end < 0) {
      this.#line = line
      return bytes.length
    }
    if (line.charCodeAt(line.length - 1) !== CR)
      throw new MalformedResponseError('a line does not end as it should')
    this.#line = ''
    this.#endLine(line.slice(0, -1))
    return end + 1
  }

  #checkLength(line: string, added: number): void {
    if (this.#state === 'trailer') this.#trailerBytes += added
    if (line.length > MAX_LINE_BYTES || this.#trailerBytes > MAX_TRAILER_BYTES)
      throw new MalformedResponseError('a line is too long')
  }

  #endLine(line: string): void {
    if (this.#state === 'trailer') {
      if (line === '') this.#state = 'done'
      return
    }
    if (this.#state === 'data-end') {
      if (line !== '') throw new MalformedResponseError('a chunk is longer than announced')
      this.#state = 'size'
      return
    }
    const size = SIZE.exec(line)?.[1]
    if (size === undefined) throw new MalformedResponseError('the size of a chunk is malformed')
    this.#left = Number.parseInt(size, 16)
    this.#state = this.#left === 0 ? 'trailer' : 'data'
  }
}
