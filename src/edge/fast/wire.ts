import { STATUS_CODES } from 'node:http'
import { type RequestIds, writeCount } from '../request/request-id.ts'
import { OTHER_ID, stampLines } from '../stamp.ts'

const DATE = 'date: '

const lines = new Map<number, string>()

export function statusLine(status: number): string {
  let line = lines.get(status)
  if (line === undefined) {
    line = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\n`
    lines.set(status, line)
  }
  return line
}

/** The head of an answer up to what is the same each time. */
export const stampedHead = (statusLine: string, date: string, id: string): string =>
  statusLine + stampLines(date, id)

/**
 * A whole answer over HTTP/1.1 in one buffer, of which the date and the id, twice, are written anew for each visit.
 * Whoever sends it must let go of it unless all of it went out at once: a buffer that is still being read from
 * must not change.
 */
export class Wire {
  readonly bytes: Buffer
  readonly #dateAt: number
  readonly #bodyAt: number
  readonly #idEnd: number
  readonly #otherIdEnd: number
  #date: string

  /** `stamped` is as `stampedHead` made it, with `date` in it. */
  constructor(stamped: string, date: string, rest: string, body: Buffer) {
    const head = stamped + rest
    this.#date = date
    this.#dateAt = stamped.indexOf(DATE) + DATE.length
    this.#idEnd = stamped.length - 2
    this.#otherIdEnd = stamped.indexOf('\r\n', stamped.indexOf(`${OTHER_ID}: `))
    this.#bodyAt = head.length
    this.bytes = Buffer.allocUnsafeSlow(head.length + body.length)
    this.bytes.write(head, 'latin1')
    this.bytes.set(body, head.length)
  }

  /** Puts in the date, and the id that was made last. */
  stamp(date: string, { count }: RequestIds): void {
    const { bytes } = this
    this.#setDate(date)
    const at = this.#idEnd - count.length
    const otherAt = this.#otherIdEnd - count.length
    for (let i = 0; i < count.length; i++) {
      const digit = count[i] as number
      bytes[at + i] = digit
      bytes[otherAt + i] = digit
    }
  }
  get bodyLength(): number {
    return this.bytes.length - this.#bodyAt
  }

  /** Puts in the date, any id of this process, and another body of the same length. */
  renew(date: string, id: string, body: Buffer): void {
    const { bytes } = this
    this.#setDate(date)
    writeCount(bytes, [this.#idEnd, this.#otherIdEnd], id)
    bytes.set(body, this.#bodyAt)
  }

  #setDate(date: string): void {
    if (date === this.#date) return
    this.#date = date
    this.bytes.write(date, this.#dateAt, 'latin1')
  }
}
