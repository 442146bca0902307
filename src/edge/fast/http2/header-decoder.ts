import { decodeHuffman } from './huffman.ts'
import { STATIC_TABLE } from './static-table.ts'

/** One header of a request, those that begin with a colon included. */
export interface Field {
  readonly name: string
  readonly value: string
  /** Nobody can be of two minds about it: a name in lower case, a value that can be printed, no blanks around it. */
  readonly isPlain: boolean
}

/** In place of headers that are too many or too long. */
export const TOO_LARGE: readonly Field[] = []

/** What the peer may have us remember; it is what both begin with, and we never ask for another. */
const TABLE_BYTES = 4096

/** A name and a value cost as much more, by the rules of the protocol. */
const FIELD_BYTES = 32

/** Of one name or value that is in a code: no block holds more. */
const MAX_CODE_BYTES = 128 * 1024

const PLAIN_NAME = /^:?[a-z\d][a-z\d_-]*$/
const PLAIN_VALUE = /^(?:[!-~](?:[\t -~]*[!-~])?)?$/

const STATIC_FIELDS: readonly Field[] = STATIC_TABLE.map(([name, value]) => ({ name, value, isPlain: true }))

/** Reads the header blocks of a connection (RFC 7541), which have to come in order, each of them once. */
export class HeaderDecoder {
  /** Changes whenever the same bytes may mean something else than before. */
  version = 0
  /** The newest last. */
  #table: Field[] = []
  #tableBytes = 0
  #maxTableBytes = TABLE_BYTES
  readonly #maxBytes: number
  #bytes: Buffer = EMPTY
  #at = 0
  #end = 0

  /** `maxBytes`: of the headers of one request, counted as the protocol counts them. */
  constructor(maxBytes = Number.POSITIVE_INFINITY) {
    this.#maxBytes = maxBytes
  }

  /**
   * Undefined when it cannot be read: nothing that follows can be read then either. `TOO_LARGE` when it is too much: it is read
   * to its end for the sake of what follows, but a few bytes may mean a great deal, and nothing is kept of it.
   */
  decode(block: Buffer): readonly Field[] | undefined {
    this.#bytes = block
    this.#at = 0
    this.#end = block.length
    const fields: Field[] = []
    let size = 0
    let isFirst = true
    while (this.#at < this.#end) {
      const first = block[this.#at] as number
      let field: Field | undefined
      if (first >= 0x80) {
        field = this.#fieldAt(this.#readNumber(0x7f))
      } else if (first >= 0x40) {
        field = this.#readLiteral(0x3f)
        if (field !== undefined) this.#remember(field)
      } else if (first < 0x20) {
        field = this.#readLiteral(0x0f)
      } else {
        if (!isFirst || !this.#resize(this.#readNumber(0x1f))) return undefined
        continue
      }
      if (field === undefined) return undefined
      isFirst = false
      size += sizeOf(field)
      if (size <= this.#maxBytes) fields.push(field)
    }
    return size <= this.#maxBytes ? fields : TOO_LARGE
  }

  #fieldAt(index: number): Field | undefined {
    if (index < 1) return undefined
    return index <= STATIC_FIELDS.length
      ? STATIC_FIELDS[index - 1]
      : this.#table[this.#table.length - (index - STATIC_FIELDS.length)]
  }

  #readLiteral(mask: number): Field | undefined {
    const index = this.#readNumber(mask)
    const name = index === 0 ? this.#readString() : this.#fieldAt(index)?.name
    if (name === undefined) return undefined
    const value = this.#readString()
    if (value === undefined) return undefined
    return { name, value, isPlain: PLAIN_NAME.test(name) && PLAIN_VALUE.test(value) }
  }

  #remember(field: Field): void {
    this.version++
    this.#table.push(field)
    this.#tableBytes += sizeOf(field)
    this.#evict()
  }

  #resize(size: number): boolean {
    if (size < 0 || size > TABLE_BYTES) return false
    this.version++
    this.#maxTableBytes = size
    this.#evict()
    return true
  }

  #evict(): void {
    let count = 0
    while (this.#tableBytes > this.#maxTableBytes) this.#tableBytes -= sizeOf(this.#table[count++] as Field)
    if (count > 0) this.#table.splice(0, count)
  }

  /** -1 when it is none. */
  #readNumber(mask: number): number {
    let number = (this.#bytes[this.#at++] as number) & mask
    if (number < mask) return number
    for (let shift = 0; shift <= 21; shift += 7) {
      if (this.#at >= this.#end) return -1
      const byte = this.#bytes[this.#at++] as number
      number += (byte & 0x7f) << shift
      if (byte < 0x80) return number
    }
    return -1
  }

  #readString(): string | undefined {
    if (this.#at >= this.#end) return undefined
    const isHuffman = (this.#bytes[this.#at] as number) >= 0x80
    const length = this.#readNumber(0x7f)
    const from = this.#at
    const to = from + length
    if (length < 0 || to > this.#end) return undefined
    this.#at = to
    if (!isHuffman) return this.#bytes.toString('latin1', from, to)
    if (length * 2 > scratch.length) return undefined
    return decodeHuffman(this.#bytes, from, to, scratch)
  }
}

const EMPTY = Buffer.alloc(0)

/** The shortest code has five bits, so that nothing becomes twice as long. */
const scratch = Buffer.alloc(2 * MAX_CODE_BYTES)

const sizeOf = ({ name, value }: Field): number => name.length + value.length + FIELD_BYTES
