import { randomBytes } from 'node:crypto'

/**
 * Ids that tell visits apart over all processes: a random beginning, and a count of fixed width behind it. Made
 * for every request, so making one is hardly more than joining two strings.
 */
export class RequestIds {
  /** The ASCII of the count in the id that was made last. */
  readonly count = Buffer.alloc(COUNT_WIDTH)
  readonly #start: string
  #high = 0
  #low = 0
  #beginning = ''

  constructor(origin: string) {
    this.#start = `${origin}::${randomBytes(6).toString('hex')}-`
    this.#setHigh(0)
  }

  next(): string {
    if (this.#low === PAIRS.length) {
      this.#low = 0
      this.#setHigh(this.#high + 1)
    }
    const pair = PAIRS[this.#low++] as string
    this.count[COUNT_WIDTH - 2] = pair.charCodeAt(0)
    this.count[COUNT_WIDTH - 1] = pair.charCodeAt(1)
    return this.#beginning + pair
  }

  #setHigh(high: number): void {
    this.#high = high
    const digits = high.toString(36).padStart(COUNT_WIDTH - 2, '0')
    this.count.write(digits, 'latin1')
    this.#beginning = this.#start + digits
  }
}

/** What ends an id and differs between those of a process. Enough for a hundred thousand requests a second over a year. */
const COUNT_WIDTH = 9

/** Writes the count of an id into bytes in which another id of the same process ends at each of these places. */
export function writeCount(bytes: Buffer, ends: readonly number[], id: string): void {
  for (let i = 1; i <= COUNT_WIDTH; i++) {
    const digit = id.charCodeAt(id.length - i)
    for (const end of ends) bytes[end - i] = digit
  }
}

const PAIRS = Array.from({ length: 36 * 36 }, (_, low) => low.toString(36).padStart(2, '0'))
