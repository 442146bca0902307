import { AloftError } from '#contract/errors.ts'
import { sourceOf } from '#core/access/network-of.ts'
import { Counts } from '#core/counts.ts'

/** Bytes of bodies that may be in the memory of this process at once. */
interface BodyLimits {
  /** Of everybody together. */
  readonly all: number
  /** Of an account, which has at most two large bodies read at a time. */
  readonly account: number
  /** Of all who have not shown who they are. */
  readonly strangers: number
  /** Of one address of these. */
  readonly stranger: number
}

const MB = 1024 * 1024

const LIMITS: BodyLimits = { all: 384 * MB, account: 160 * MB, strangers: 64 * MB, stranger: MB }

/** As much is in the buffers of any connection: what is no longer is not counted. */
const SMALL = 64 * 1024

interface Caller {
  /** An account, or the address of a stranger. */
  readonly id: string
  readonly isStranger: boolean
}

/** What one request holds. */
export interface HeldBody {
  /** Before as many bytes of it are kept: throws where there is no room for them. */
  grow(bytes: number): void
  /** Whether it is more than is not worth counting. */
  readonly isCounted: boolean
  /** When none of it is needed any more; it may be told more than once. */
  release(): void
}

/**
 * Bodies that are needed as a whole are in memory before anybody can tell what they are, for as long as their senders like. So it
 * is counted how much that is: whoever sends too much at once is refused, and leaves room for others.
 */
export class BodyMemory {
  readonly #limits: BodyLimits
  readonly #byCaller = new Counts()
  #all = 0
  #strangers = 0

  constructor(limits: Partial<BodyLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits }
  }

  /** Bytes that are held. */
  get size(): number {
    return this.#all
  }

  hold({ id, isStranger }: Caller): HeldBody {
    const key = isStranger ? `stranger ${sourceOf(id)}` : `account ${id}`
    let [came, held] = [0, 0]
    const count = (bytes: number): void => {
      held += bytes
      this.#all += bytes
      if (isStranger) this.#strangers += bytes
      this.#byCaller.add(key, bytes)
    }
    return {
      grow: (bytes) => {
        came += bytes
        // What strangers send is small, and there may be very many of them.
        if (came <= SMALL && !isStranger) return
        const more = came - held
        this.#check(key, isStranger, more)
        count(more)
      },
      get isCounted() {
        return held > 0
      },
      release: () => {
        if (held > 0) count(-held)
      },
    }
  }

  #check(key: string, isStranger: boolean, more: number): void {
    const { all, account, strangers, stranger } = this.#limits
    if (this.#byCaller.of(key) + more > (isStranger ? stranger : account))
      throw new AloftError(
        'rate_limited',
        'Too much data is being sent at the same time. Wait for other requests to end, then try again.',
      )
    if (this.#all + more > all || (isStranger && this.#strangers + more > strangers))
      throw new AloftError(
        'service_unavailable',
        'The server is receiving too much data at the same time. Try again in a moment.',
      )
  }
}

/** Of this process. */
export const bodyMemory = new BodyMemory()
