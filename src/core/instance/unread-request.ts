/** The connection was never made. */
const NOT_CONNECTED = new Set(['ECONNREFUSED', 'ENOENT', 'ENOTSOCK', 'EACCES', 'EAGAIN', 'EMFILE', 'ENFILE'])
/**
 * The instance never read what was sent last: over a unix socket a peer that closes with bytes unread resets the
 * connection, while one that has read them just ends it.
 */
const UNREAD = new Set(['EPIPE', 'ECONNRESET'])

/**
 * Whether an instance to which the connection failed has certainly read nothing of what it was sent in so many pieces, of
 * which the first has the head.
 */
export const isUnread = (code: string, pieces: number): boolean =>
  // Of several pieces the first may have been read.
  NOT_CONNECTED.has(code) || (UNREAD.has(code) && pieces <= 1)
