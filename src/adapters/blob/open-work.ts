import { BlobError } from '#core/ports/blob-store.ts'

const closed = () => new BlobError('closed', 'The blob store is closed')

/** What a blob store has under way: none is begun once it closes, and all of it ends before it is closed. */
export class OpenWork {
  readonly #closing = new AbortController()
  readonly #underWay = new Set<Promise<unknown>>()

  /** Aborted when the store closes. */
  get signal(): AbortSignal {
    return this.#closing.signal
  }

  track<T>(work: () => Promise<T>): Promise<T> {
    if (this.#closing.signal.aborted) return Promise.reject(closed())
    const promise = work()
    this.#underWay.add(promise)
    const done = () => void this.#underWay.delete(promise)
    promise.then(done, done)
    return promise
  }

  stop(): void {
    this.#closing.abort(closed())
  }

  async ended(): Promise<void> {
    await Promise.allSettled(this.#underWay)
  }
}

export const isCorrupt = (error: unknown): boolean => error instanceof BlobError && error.kind === 'corrupt'
