import type { Socket } from 'node:net'

/** The connection was never made. */
const NOT_CONNECTED = new Set(['ECONNREFUSED', 'ENOENT', 'ENOTSOCK', 'EACCES', 'EAGAIN', 'EMFILE', 'ENFILE'])
/** Over a unix socket: who is connected to closed it and has not read what was written last. */
const UNREAD = new Set(['EPIPE', 'ECONNRESET'])

/**
 * Whatever one end does, the other hears of; what has come to its end is still passed on. `onUnread` is called instead of
 * closing the near end where the far one has certainly read nothing since it last said something.
 */
export function joinSockets(near: Socket, far: Socket, onUnread: () => void = () => near.destroy()): void {
  let pieces = 0
  near.on('data', () => pieces++)
  far.on('data', () => {
    pieces = 0
  })
  far.on('error', ({ code = '' }: NodeJS.ErrnoException) => {
    // Of several pieces the first may have been read.
    if (NOT_CONNECTED.has(code) || (UNREAD.has(code) && pieces <= 1)) onUnread()
    else near.destroy()
  })
  far.once('close', () => {
    if (!near.writableEnded) near.destroy()
    // Nobody takes what still comes but its end.
    else near.resume()
  })
  near.once('close', () => far.destroy())
  near.pipe(far)
  far.pipe(near)
}
