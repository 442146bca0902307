import { constants, type ServerHttp2Stream } from 'node:http2'
import { senderOf } from '#core/access/sender.ts'
import { type ShareLimits, SourceShares } from '#core/access/source-shares.ts'
import { isHttp2 } from '#core/http-message.ts'
import type { Handle } from '#listener/listener-request.ts'

const MB = 1024 * 1024
const LIMITS: ShareLimits = { all: 256 * MB, source: 64 * MB, least: 8 * MB }

/**
 * What the API answers over HTTP/2 is in memory until it is taken, and a connection may have more than a hundred streams that nobody
 * reads. So it is counted by source what streams were given beyond what goes out at once, and a stream for which there is no room is
 * ended.
 */
export function limitUnsent(next: Handle, limits: ShareLimits = LIMITS): Handle {
  const shares = new SourceShares(limits)
  return (req, res) => {
    if (isHttp2(res)) watchWrites(res.stream, senderOf(req).address, shares)
    return next(req, res)
  }
}

/** No event says that a stream was given more than it passes on: only who writes to it learns of that. */
function watchWrites(stream: ServerHttp2Stream, address: string, shares: SourceShares): void {
  const write = stream.write.bind(stream) as (...given: unknown[]) => boolean
  let held = 0
  let giveBack = (): void => {}
  const watched = (...given: unknown[]): boolean => {
    const goesOn = write(...given)
    const bytes = stream.writableLength
    if (goesOn || bytes <= held || stream.destroyed) return goesOn
    if (held === 0) stream.once('close', () => giveBack())
    giveBack()
    const taken = shares.take(address, bytes)
    held = taken === undefined ? Number.POSITIVE_INFINITY : bytes
    giveBack = taken ?? (() => {})
    // Not before whoever writes is done with it.
    if (taken === undefined) setImmediate(() => stream.close(constants.NGHTTP2_CANCEL))
    return goesOn
  }
  stream.write = watched as typeof stream.write
}
