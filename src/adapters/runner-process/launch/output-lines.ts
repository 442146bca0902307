import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { readSlowly } from './read-slowly.ts'

const MAX_LINE = 8192
/** Of handling one line, in bytes that could be read instead. */
const LINE_COST = 64
/** A longer line counts as several. */
const LINE_BYTES = 1024

interface BudgetOptions {
  readonly now: () => number
  readonly write: (text: string) => void
  /** Lines of a kilobyte a second, and how many at once after silence. */
  readonly rate?: number
  readonly burst?: number
}

/** How many lines a program may put into its log: whatever it writes beyond is counted and told of. */
export class LineBudget {
  readonly #options: Required<BudgetOptions>
  #left: number
  #at: number
  #dropped = 0
  #timer: NodeJS.Timeout | undefined

  constructor(options: BudgetOptions) {
    this.#options = { rate: 100, burst: 2000, ...options }
    this.#left = this.#options.burst
    this.#at = options.now()
  }

  take(text: string): boolean {
    const { now, rate, burst } = this.#options
    const at = now()
    this.#left = Math.min(burst, this.#left + (Math.max(0, at - this.#at) * rate) / 1000)
    this.#at = at
    if (this.#left >= 1) {
      this.#left -= 1 + Math.floor(text.length / LINE_BYTES)
      return true
    }
    this.#dropped++
    this.#timer ??= setTimeout(() => this.flush(), 1000).unref()
    return false
  }

  /** Tells of what was dropped so far. */
  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#dropped > 0) this.#options.write(`… ${this.#dropped} lines dropped`)
    this.#dropped = 0
  }
}

/** Hands on the lines of a stream, each at most 8 KB, whatever it writes. */
export function readLines(stream: Readable, onLine: (line: string) => void): void {
  const decoder = new StringDecoder('utf8')
  let begun = ''
  const end = () => {
    if (begun !== '') onLine(begun)
    begun = ''
  }
  readSlowly(stream, (chunk) => {
    const [first = '', ...rest] = decoder.write(chunk).split('\n')
    // What is beyond the longest line would be cut anyway.
    begun = begun.length > MAX_LINE ? begun : (begun + first).slice(0, MAX_LINE + 1)
    for (const next of rest) {
      onLine(begun.slice(0, MAX_LINE).replace(/\r$/, ''))
      begun = next.slice(0, MAX_LINE + 1)
    }
    return rest.length * LINE_COST
  })
  stream.once('end', end)
}
