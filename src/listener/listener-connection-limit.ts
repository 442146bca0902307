import { MINUTE } from '#contract/time.ts'
import type { Log } from '#core/ports/log.ts'

/** From this share on, connections that nobody uses make room for others. */
const CROWDED = 0.8
/** From then on nobody gets more who has this share of all connections: the rest is for others. */
const SHARE_OF_ONE = 0.25
const RELIEVE_MS = 500
const TELL_MS = MINUTE

interface ConnectionLimitOptions {
  /** Connections at a time. */
  readonly most: number
  /** Ends connections that serve nothing and have been quiet since it was last called. */
  readonly relieve: () => void
  readonly log: Log
}

/** Decides whether one more connection is taken. What else needs descriptors, such as files, is to keep some. */
export class ConnectionLimit {
  readonly #options: ConnectionLimitOptions
  #refused = 0
  #relievedAt = Number.NEGATIVE_INFINITY
  #toldAt = Number.NEGATIVE_INFINITY

  constructor(options: ConnectionLimitOptions) {
    this.#options = options
  }

  /** `count`: how many there are already; `ofSource`: how many of them are from where this one is. */
  admits(count: number, ofSource: number, now = performance.now()): boolean {
    const { most, relieve } = this.#options
    if (count < most * CROWDED) return true
    if (now - this.#relievedAt >= RELIEVE_MS) {
      this.#relievedAt = now
      relieve()
    }
    if (count < most && ofSource < most * SHARE_OF_ONE) return true
    this.#refused++
    this.#tell(count, now)
    return false
  }

  /** A line for each would fill the disk on the day on which everybody comes. */
  #tell(connections: number, now: number): void {
    if (now - this.#toldAt < TELL_MS) return
    this.#toldAt = now
    const refused = this.#refused
    this.#refused = 0
    this.#options.log.warn(
      { refused, connections, most: this.#options.most },
      'connections are refused: this process has reached its limit, or is close to it and most are from one address; raise the limit of open files (LimitNOFILE, ulimit -n)',
    )
  }
}
