import type { Socket } from 'node:net'
import { onPeerEnd } from '#core/peer-end.ts'

/** Most answers come sooner: whoever waits for them need not be asked. */
const FIRST_LOOK_MS = 100
const LOOK_MS = 500
/** So many looks in a row without a byte sent, and a peer that has ended its side counts as gone. */
const QUIET_LOOKS = 4

/** What may be sent to whoever waits for an answer over HTTP/1.1, any number of times, and means nothing to them. */
export const GO_ON = 'HTTP/1.1 100 Continue\r\n\r\n'

export interface HalfClosedWatch {
  stop(): void
}

/** Writes something harmless and says whether it did; or says nothing, where another answer comes first. */
type Probe = () => boolean | undefined

/** What is watched of a connection, on behalf of all requests that were sent on it and wait. */
class WatchedConnection {
  readonly #socket: Socket
  readonly #probes = new Set<{ readonly probe: Probe }>()
  #timer: NodeJS.Timeout | undefined
  #callOff: (() => void) | undefined
  #quiet = 0
  #written = -1

  constructor(socket: Socket) {
    this.#socket = socket
    socket.once('close', () => {
      this.#probes.clear()
      this.#rest()
    })
  }

  add(probe: Probe): HalfClosedWatch {
    const entry = { probe }
    this.#probes.add(entry)
    this.#callOff ??= onPeerEnd(this.#socket, this.#onEnd)
    return {
      stop: () => {
        this.#probes.delete(entry)
        if (this.#probes.size === 0) this.#rest()
      },
    }
  }

  #rest(): void {
    this.#callOff?.()
    this.#callOff = undefined
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#quiet = 0
    this.#written = -1
  }

  readonly #onEnd = (): void => {
    this.#timer ??= setTimeout(this.#lookFirst, FIRST_LOOK_MS).unref()
  }

  readonly #lookFirst = (): void => {
    this.#look()
    if (this.#probes.size > 0) this.#timer = setInterval(this.#look, LOOK_MS).unref()
  }

  readonly #look = (): void => {
    const socket = this.#socket
    let hasWritten: boolean | undefined
    for (const { probe } of this.#probes) hasWritten ??= probe()
    if (hasWritten !== false) return
    const isQuiet = socket.bytesWritten === this.#written && socket.writableLength === 0
    this.#written = socket.bytesWritten
    this.#quiet = isQuiet ? this.#quiet + 1 : 0
    if (this.#quiet >= QUIET_LOOKS) socket.destroy()
  }
}

const watched = new WeakMap<Socket, WatchedConnection>()

/**
 * A peer that has ended its side of a connection may still wait for its answer, as some do, or be gone, as most are.
 * The connection only tells when it is written to. From when the side is ended until stopped, `probe` is to write
 * something harmless and to say that it did. Once an answer has begun there is nothing of that kind, and a connection
 * on which nothing is sent for some seconds is closed. Of several requests on one connection, the one that is
 * answered now decides.
 */
export function watchHalfClosed(socket: Socket, probe: Probe): HalfClosedWatch {
  const connection = watched.get(socket) ?? new WatchedConnection(socket)
  watched.set(socket, connection)
  return connection.add(probe)
}
