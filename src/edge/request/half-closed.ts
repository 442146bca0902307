import type { Socket } from 'node:net'

const LOOK_MS = 500
/** So many looks in a row without a byte sent, and a peer that has ended its side counts as gone. */
const QUIET_LOOKS = 4

/** What may be sent to whoever waits for an answer over HTTP/1.1, any number of times, and means nothing to them. */
export const GO_ON = 'HTTP/1.1 100 Continue\r\n\r\n'

export interface HalfClosedWatch {
  stop(): void
}

/**
 * A peer that has ended its side of a connection may still wait for its answer, as some do, or be gone, as most are.
 * The connection only tells when it is written to. From when the side is ended until stopped, `probe` is to write
 * something harmless and to say that it did. Once an answer has begun there is nothing of that kind, and a connection
 * on which nothing is sent for some seconds is closed.
 */
export function watchHalfClosed(socket: Socket, probe: () => boolean): HalfClosedWatch {
  let timer: NodeJS.Timeout | undefined
  let quiet = 0
  let written = -1
  const look = () => {
    if (probe()) return
    const isQuiet = socket.bytesWritten === written && socket.writableLength === 0
    written = socket.bytesWritten
    quiet = isQuiet ? quiet + 1 : 0
    if (quiet >= QUIET_LOOKS) socket.destroy()
  }
  const onEnd = () => {
    look()
    timer = setInterval(look, LOOK_MS).unref()
  }
  const stop = () => {
    socket.off('end', onEnd)
    socket.off('close', stop)
    clearInterval(timer)
  }
  socket.once('close', stop)
  if (socket.readableEnded) onEnd()
  else socket.once('end', onEnd)
  return { stop }
}
