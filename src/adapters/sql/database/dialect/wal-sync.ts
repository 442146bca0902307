import { closeSync, fdatasync, openSync } from 'node:fs'
import { AloftError } from '#contract/errors.ts'

/** Makes what was written to an open file durable. */
export type SyncFile = (fd: number, done: (error: Error | null) => void) => void

const notDurable = (cause: Error) =>
  new AloftError('service_unavailable', 'The disk of the database fails; try again later.', {}, { cause })

/**
 * Makes commits durable without stopping the process meanwhile. SQLite writes them to its log, where all processes find them,
 * and leaves the sync to this: everything that was committed while the disk synced shares the next sync. Whoever committed
 * is answered after it, so nothing that was acknowledged is lost with the power. The log stays the same file
 * for as long as a connection is open.
 */
export class WalSync {
  readonly #path: string
  readonly #sync: SyncFile
  #fd: number | undefined
  #waiting: PromiseWithResolvers<void>[] = []
  #running: Promise<void> | undefined

  constructor(database: string, sync: SyncFile = fdatasync) {
    this.#path = `${database}-wal`
    this.#sync = sync
  }

  /** Resolves when everything that was committed before is on the disk. */
  sync(): Promise<void> {
    const settle = Promise.withResolvers<void>()
    this.#waiting.push(settle)
    this.#running ??= this.#run()
    return settle.promise
  }

  async close(): Promise<void> {
    await this.#running
    if (this.#fd !== undefined) closeSync(this.#fd)
    this.#fd = undefined
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      const waiting = this.#waiting
      this.#waiting = []
      try {
        await this.#syncNow()
        for (const { resolve } of waiting) resolve()
      } catch (error) {
        for (const { reject } of waiting) reject(error)
      }
    }
    this.#running = undefined
  }

  async #syncNow(): Promise<void> {
    this.#fd ??= openSync(this.#path, 'r')
    const fd = this.#fd
    await new Promise<void>((resolve, reject) =>
      this.#sync(fd, (error) => (error ? reject(notDurable(error)) : resolve())),
    )
  }
}
