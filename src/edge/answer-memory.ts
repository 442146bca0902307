import { sourceOf } from '#core/access/network-of.ts'
import { beforeAbort } from '#core/before-abort.ts'
import { Counts } from '#core/counts.ts'

/** Bytes of answers that may be in the memory of this process until all of them has come. */
interface AnswerLimits {
  /** Of everybody together. */
  readonly all: number
  /** Of the sites of one account. */
  readonly account: number
  /** Of those, what one visitor makes us hold. */
  readonly visitor: number
}

const MB = 1024 * 1024

const LIMITS: AnswerLimits = { all: 256 * MB, account: 64 * MB, visitor: 16 * MB }

/** What one answer holds. */
export interface HeldAnswer {
  /** Before as many bytes of it are kept: false where there is no room for them. */
  grow(bytes: number): boolean
  /** When none of it is needed any more; it may be called more than once. */
  release(): void
}

/**
 * Answers that are to be kept, or made into something else, are gathered as they come, for as long as functions and visitors
 * like. So it is counted how much that is. What there is no room for goes to its visitor as it comes and is not kept, so that
 * nobody else notices.
 */
export class AnswerMemory {
  readonly #limits: AnswerLimits
  readonly #byAccount = new Counts()
  readonly #byVisitor = new Counts()
  #all = 0
  /** Of those who wait until something is released. */
  #released: PromiseWithResolvers<void> | undefined

  constructor(limits: Partial<AnswerLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits }
  }

  /** Bytes that are held. */
  get size(): number {
    return this.#all
  }

  /** `address`: of the visitor who is sent it, and holds it by not taking it; absent where nobody is. */
  hold(account: string, address?: string): HeldAnswer {
    const visitor = address === undefined ? undefined : `${account} ${sourceOf(address)}`
    let held = 0
    const count = (bytes: number): void => {
      held += bytes
      this.#all += bytes
      this.#byAccount.add(account, bytes)
      if (visitor !== undefined) this.#byVisitor.add(visitor, bytes)
    }
    return {
      grow: (bytes) => {
        const theirs = visitor === undefined ? 0 : this.#byVisitor.of(visitor) + bytes
        if (theirs > this.#limits.visitor || !this.#hasRoom(account, bytes)) return false
        count(bytes)
        return true
      },
      release: () => {
        if (held === 0) return
        count(-held)
        this.#released?.resolve()
        this.#released = undefined
      },
    }
  }

  /** Waits until there is room for as much, which is not held by that; false where there is none before the end. */
  async untilRoom(account: string, bytes: number, end: AbortSignal): Promise<boolean> {
    while (!this.#hasRoom(account, bytes)) {
      if (end.aborted) return false
      this.#released ??= Promise.withResolvers()
      await beforeAbort(this.#released.promise, end).catch(() => {})
    }
    return true
  }

  #hasRoom(account: string, bytes: number): boolean {
    const { all, account: one } = this.#limits
    return this.#all + bytes <= all && this.#byAccount.of(account) + bytes <= one
  }
}
