import { writeSync } from 'node:fs'
import type { Socket } from 'node:net'

/** Node.js does not document what is beneath the streams of a socket; where it has no descriptor, the stream is used. */
type WithHandle = { readonly _handle?: { readonly fd?: number } | null }

/**
 * Writes to a connection, and answers whether all of it has gone, so that the bytes may change. What the kernel takes at once
 * is written past the stream, which would make a request of it, tell its end and look in a tick of its own whether more is
 * to be written. The stream gets what is left, and whatever went wrong goes wrong there again.
 */
export function writeDirectly(socket: Socket, bytes: Buffer): boolean {
  const written = writeNow(socket, bytes)
  if (written === bytes.length) return true
  socket.write(written === 0 ? bytes : bytes.subarray(written))
  return socket.writableLength === 0
}

/** How many bytes were written. */
function writeNow(socket: Socket, bytes: Buffer): number {
  // The descriptor of a connection over TLS is the one beneath the encryption. Ended connections have none, or another.
  if ('encrypted' in socket || socket.connecting || !socket.writable || socket.writableLength > 0) return 0
  const fd = (socket as WithHandle)._handle?.fd ?? -1
  if (fd < 0) return 0
  try {
    return writeSync(fd, bytes)
  } catch {
    return 0
  }
}
