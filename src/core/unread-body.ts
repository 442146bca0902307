import type { IncomingMessage } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'

/** As much is read to its end, so that the connection can be used again. */
const LITTLE = 1024 * 1024

/**
 * Whether so much of the body of a request may be still to come that its connection had better end with the answer: node:http would
 * read all of it, as fast as it is sent, and throw it away. Streams of HTTP/2 end by themselves.
 */
export function leavesMuchUnread(req: IncomingMessage | Http2ServerRequest): boolean {
  if (req.httpVersionMajor !== 1 || req.complete) return false
  const { 'transfer-encoding': coding, 'content-length': length } = req.headers
  return coding !== undefined || Number(length ?? 0) > LITTLE
}
