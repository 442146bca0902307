import { availableParallelism } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'

/**
 * What the contents that give way may take of one core to be hashed and written, for each core there is. All else about them, such as
 * receiving them and waking threads, takes several times as much: with two cores and instructions for hashes, 60 MB a second take a third of one.
 */
const SHARE_PER_CORE = 0.02
/** However many cores there are, the event loop that receives them has one. */
const MOST = 0.1
/** In a millisecond, by all of them together: hashes take three times as long on processors without instructions for them, and uploads shall not. */
const LEAST_BYTES = 32_000
/** Timers are no finer than a millisecond: what is due is waited for in steps of several. */
const STEP_MS = 3
/** At most. However many contents come at once, each goes on, and whoever ends one does not wait for long. */
const LONGEST_MS = 250
/** Until it is known: two hashes with the instructions for them, and a write. */
const MS_PER_BYTE = 1e-6
/** Of what was known before, for each that is told. */
const WEIGHT = 0.9

interface PaceParts {
  /** Of one core. */
  readonly share?: number
  readonly now?: () => number
  readonly wait?: (ms: number) => Promise<void>
}

/**
 * Contents that give way come in no faster than leaves most of the CPU to others. Priorities do not do that: a thread that has just begun to
 * run keeps its core for up to a tick of the clock, 4 ms, whoever wants it, and contents that are sent as fast as they are taken always
 * have one that has just begun.
 */
export class Pace {
  readonly #share: number
  readonly #now: () => number
  readonly #wait: (ms: number) => Promise<void>
  #msPerByte = MS_PER_BYTE
  /** Up to when what has come in is paid for. */
  #paidAt = 0

  constructor({
    share = Math.min(MOST, SHARE_PER_CORE * availableParallelism()),
    now = () => performance.now(),
    wait = (ms) => pause(ms),
  }: PaceParts = {}) {
    this.#share = share
    this.#now = now
    this.#wait = wait
  }

  /** So much CPU time it took to hash and write so many bytes. */
  learn(bytes: number, ms: number): void {
    if (bytes > 0) this.#msPerByte = WEIGHT * this.#msPerByte + ((1 - WEIGHT) * ms) / bytes
  }

  /** So many bytes have come. Answers with a promise if the next ones have to wait. */
  take(bytes: number): Promise<void> | undefined {
    const now = this.#now()
    const price = Math.min((bytes * this.#msPerByte) / this.#share, bytes / LEAST_BYTES)
    const paidAt = Math.max(now, this.#paidAt) + price
    // More is never owed, or the last of many would pay for all of them.
    this.#paidAt = Math.min(now + LONGEST_MS, paidAt)
    const ms = this.#paidAt - now
    return ms < STEP_MS ? undefined : this.#wait(ms)
  }
}
