import type { Socket } from 'node:net'

const AGAIN_MS = 500

/** What may be sent to whoever waits for an answer over HTTP/1.1, any number of times, and means nothing to them. */
export const GO_ON = 'HTTP/1.1 100 Continue\r\n\r\n'

/**
 * A peer that has ended its side of a connection may still wait for its answer, as some do, or be gone, as most are.
 * The connection only tells when it is written to. Calls `write` for that, from when the side is ended until stopped.
 */
export function probeWhenHalfClosed(socket: Socket, write: () => void): { stop(): void } {
  let timer: NodeJS.Timeout | undefined
  const onEnd = () => {
    write()
    timer = setInterval(write, AGAIN_MS).unref()
  }
  if (socket.readableEnded) onEnd()
  else socket.once('end', onEnd)
  return {
    stop() {
      socket.off('end', onEnd)
      clearInterval(timer)
    },
  }
}
