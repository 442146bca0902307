import { SECOND } from '#contract/time.ts'
import type { RateLimiter } from '#core/ports/rate-limiter.ts'
import type { Channel } from '../ipc/channel.ts'
import { createMemoryLimiter, type GivenCount } from '../limit-memory/memory-limiter.ts'
import { createIpcLimiter } from './ipc-limiter.ts'
import { alone, given, isAnswering } from './messages.ts'
import { serveIpcLimiter } from './serve-ipc-limiter.ts'

/** Less than what those wait who ask here. */
const TIMEOUT = 2 * SECOND

/**
 * Counts for all processes of a machine. The one that serves alone counts by itself, so that its visitors wait for no other
 * process, and what the others ask here goes on to it. As soon as several serve, the counts are here.
 */
export class MachineLimiter implements RateLimiter {
  readonly #here = createMemoryLimiter()
  /** Of processes that answer what others ask; those of the version before do not. */
  readonly #there = new Map<Channel, RateLimiter>()
  #countedBy: Channel | undefined
  #isShared = false

  /** Lets a process count. Returns what has to be called when it has ended. */
  attach(channel: Channel): () => void {
    channel.onMessage((message) => {
      if (isAnswering(message)) this.#there.set(channel, createIpcLimiter(channel, { timeout: TIMEOUT }))
    })
    serveIpcLimiter(channel, this)
    return () => {
      this.#there.delete(channel)
      if (this.#countedBy === channel) this.#countedBy = undefined
    }
  }

  take(...what: Parameters<RateLimiter['take']>): ReturnType<RateLimiter['take']> {
    const there = this.#countedBy && this.#there.get(this.#countedBy)
    return (there ?? this.#here).take(...what)
  }

  receive(counts: readonly GivenCount[]): void {
    this.#here.receive(counts)
  }

  /** From now on a process that serves alone counts, going on from what was counted here. */
  moveTo(channel: Channel): void {
    if (this.#isShared && !this.#there.has(channel)) return
    if (this.#countedBy !== channel) this.moveHere()
    channel.send(given(this.#here.giveAway()))
    channel.send(alone(true))
    this.#countedBy = channel
  }

  /** The process that counted gives its counts back, and asks. */
  moveHere(): void {
    this.#countedBy?.send(alone(false))
    this.#countedBy = undefined
  }

  /** From now on a process that does not serve has to count too. */
  share(): void {
    this.#isShared = true
    if (this.#countedBy && !this.#there.has(this.#countedBy)) this.moveHere()
  }
}
