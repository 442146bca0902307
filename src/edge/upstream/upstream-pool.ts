import { connect, type Socket } from 'node:net'
import type { Clock } from '#core/ports/clock.ts'
import { UpstreamConnection } from './upstream-connection.ts'

const MAX_IDLE_PER_INSTANCE = 128
const IDLE_MS = 30_000
/** An instance closes a connection no earlier than this before it said that it would. */
const MARGIN_MS = 1000

/** One for all connections: whatever of it is still wanted after the next read has been copied by then. */
const READ_BUFFER = Buffer.allocUnsafeSlow(64 * 1024)

/** Connections to instances, kept for the next request. */
export class UpstreamPool {
  readonly #clock: Clock
  /** By the path of the instance's socket; the one used last is at the end. */
  readonly #idle = new Map<string, UpstreamConnection[]>()
  readonly #sweeper: NodeJS.Timeout
  #isClosed = false

  constructor(clock: Clock) {
    this.#clock = clock
    this.#sweeper = setInterval(() => this.#sweep(), IDLE_MS / 2).unref()
  }

  /**
   * A connection that was used before, if there is one. None that the instance is about to close: a request on it
   * could be lost, and whether it was heard would be unknown.
   */
  reuse(path: string): UpstreamConnection | undefined {
    const idle = this.#idle.get(path)
    for (let connection = idle?.pop(); connection !== undefined; connection = idle?.pop()) {
      const idleMs = this.#clock.monotonic() - connection.idleSince
      if (connection.isUsable && idleMs < connection.keptForMs - MARGIN_MS) return connection
      connection.destroy()
    }
    return undefined
  }

  /** `open`: how an instance is reached that is on another machine. */
  connect(path: string, open?: () => Socket): UpstreamConnection {
    const connection: UpstreamConnection = new UpstreamConnection(
      open?.() ??
        connect({
          path,
          onread: {
            buffer: READ_BUFFER,
            callback: (length) => connection.take(READ_BUFFER.subarray(0, length)),
          },
        }),
      open === undefined ? 'direct' : 'events',
      (connection) => this.#keep(path, connection),
      (connection) => this.#forget(path, connection),
    )
    return connection
  }

  /** Ends what is idle; what is under way goes on, and ends afterwards. */
  close(): void {
    this.#isClosed = true
    clearInterval(this.#sweeper)
    for (const connection of [...this.#idle.values()].flat()) connection.destroy()
    this.#idle.clear()
  }

  #keep(path: string, connection: UpstreamConnection): void {
    let idle = this.#idle.get(path)
    if (idle === undefined) {
      idle = []
      this.#idle.set(path, idle)
    }
    if (this.#isClosed || idle.length >= MAX_IDLE_PER_INSTANCE) {
      connection.destroy()
      return
    }
    connection.idleSince = this.#clock.monotonic()
    idle.push(connection)
  }

  #forget(path: string, connection: UpstreamConnection): void {
    const idle = this.#idle.get(path)
    const at = idle?.indexOf(connection) ?? -1
    if (at >= 0) idle?.splice(at, 1)
    if (idle?.length === 0) this.#idle.delete(path)
  }

  #sweep(): void {
    const before = this.#clock.monotonic() - IDLE_MS
    for (const connection of [...this.#idle.values()].flat())
      if (connection.idleSince <= before) connection.destroy()
  }
}
