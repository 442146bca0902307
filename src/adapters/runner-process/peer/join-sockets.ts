import type { Socket } from 'node:net'
import { markUnshared, pour } from '#core/chunks.ts'
import { isUnread } from '#core/instance/unread-request.ts'

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
    if (isUnread(code, pieces)) onUnread()
    else near.destroy()
  })
  far.once('close', () => {
    if (!near.writableEnded) near.destroy()
    // Nobody takes what still comes but its end.
    else near.resume()
  })
  near.once('close', () => far.destroy())
  pour(markUnshared(near), far)
  pour(markUnshared(far), near)
}
