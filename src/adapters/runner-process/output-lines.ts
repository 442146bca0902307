import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'

const MAX_LINE = 8192

interface BudgetOptions {
  readonly now: () => number
  readonly write: (text: string) => void
  /** Lines a second, and how many at once after silence. */
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
    this.#options = { rate: 200, burst: 2000, ...options }
    this.#left = this.#options.burst
    this.#at = options.now()
  }

  take(): boolean {
    const { now, rate, burst } = this.#options
    const at = now()
    this.#left = Math.min(burst, this.#left + (Math.max(0, at - this.#at) * rate) / 1000)
    this.#at = at
    if (this.#left >= 1) {
      this.#left--
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

/** Bytes a second that are read of one stream: beyond, the program waits in its writes. */
const BYTES_PER_TICK = 512 * 1024
const TICK_MS = 100

/** Reads no more than a bounded amount in each tick, so that endless output costs the platform little. */
export function readSlowly(stream: Readable, onChunk: (chunk: Buffer) => void): void {
  let tick = 0
  let read = 0
  stream.on('data', (chunk: Buffer) => {
    const now = Math.floor(performance.now() / TICK_MS)
    if (now !== tick) {
      tick = now
      read = 0
    }
    read += chunk.length
    if (read > BYTES_PER_TICK) {
      stream.pause()
      setTimeout(() => stream.resume(), TICK_MS).unref()
    }
    onChunk(chunk)
  })
  stream.on('error', () => {})
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
  })
  stream.once('end', end)
}
