import { type IncomingMessage, ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { HOUR } from '#contract/time.ts'
import { markUnshared, pour } from '#core/chunks.ts'
import type { Clock } from '#core/ports/clock.ts'
import { headerLines } from '../answer.ts'
import { authorityOf, type Exchange, exchangeOf, type SwitchAnswer } from '../exchange.ts'
import type { IsLetIn, OpenStreams, StreamEnd } from '../open-streams.ts'
import { watchHalfClosed } from '../request/half-closed.ts'
import { hostNameOf } from '../request/host.ts'
import type { RequestIds } from '../request/request-id.ts'
import type { BytesSent, Stamp } from '../respond.ts'
import type { SiteCache } from '../site/site-cache.ts'
import { stampLines } from '../stamp.ts'
import type { VisitorMemory } from '../visitor-memory.ts'
import { CLOSE_FRAMES, FrameEdges } from './websocket-frames.ts'

/** Requests for another protocol on their connection, such as WebSocket. */
export interface Upgrades {
  /** Whether `handle` may be of use; otherwise it is an ordinary request. */
  accepts(req: IncomingMessage): boolean
  /** Takes the connection over. Never throws. */
  handle(req: IncomingMessage, socket: Duplex, head: Buffer): void
}

interface UpgradeOptions {
  readonly sites: SiteCache
  readonly clock: Clock
  readonly ids: RequestIds
  readonly memory: VisitorMemory
  readonly serve: (exchange: Exchange) => void | Promise<void>
}

/** Offered by clients that would like HTTP/2 and are happy without it. */
const NOT_MEANT = /(?:^|,)\s*(?:h2c?|http\/[\d.]+|tls\/[\d.]+)\s*(?:,|$)/i
const PROTOCOL = /^[!#$%&'*+.^_`|~\w-]+(?:\/[!#$%&'*+.^_`|~\w-]+)?$/

export function createUpgrades({ sites, clock, ids, memory, serve }: UpgradeOptions): Upgrades {
  return {
    accepts(req) {
      const { upgrade, 'content-length': length, 'transfer-encoding': coding } = req.headers
      if (upgrade === undefined || NOT_MEANT.test(upgrade) || !PROTOCOL.test(upgrade)) return false
      if ((length !== undefined && length !== '0') || coding !== undefined) return false
      const host = hostNameOf(authorityOf(req))
      const entry = host === undefined ? undefined : sites.peek(host, clock.monotonic())
      return host !== undefined && (entry === undefined || entry.site.functions.size > 0)
    },
    handle(req, socket, first) {
      // For all answers but the one that changes the protocol.
      const res = new ServerResponse(req)
      res.shouldKeepAlive = false
      res.assignSocket(req.socket)
      res.once('finish', () => endSoon(socket))
      void serve({
        ...exchangeOf(req, res, { ids, clock, memory }),
        upgrade: { socket, first, protocol: req.headers.upgrade as string },
      })
    },
  }
}

const WEBSOCKET = /^websocket$/i

/** Without a word in either direction for so long, nobody is there any more. */
export const QUIET_MS = HOUR

interface SwitchParts {
  readonly streams: OpenStreams
  readonly isLetIn: IsLetIn
  readonly quietMs: number
}

/** Says that the protocol changes, and from then on passes on what either side sends. */
export function switchProtocol(
  exchange: Exchange,
  answer: SwitchAnswer,
  stamp: Stamp,
  { streams, isLetIn, quietMs }: SwitchParts,
): BytesSent {
  const { res, upgrade } = exchange
  const { socket: upstream, first, release } = answer.switched
  if (upgrade === undefined) throw new Error('the protocol was changed although nobody asked for it')
  const { socket } = upgrade
  let sent = 0
  const close = () => {
    socket.destroy()
    upstream.destroy()
  }
  socket.once('close', close)
  upstream.once('close', () => {
    endSoon(socket)
    release()
  })
  socket.on('error', close)
  upstream.on('error', close)
  if (socket.destroyed) {
    close()
    return () => 0
  }
  exchange.watch?.stop()
  if ('detachSocket' in res) res.detachSocket(exchange.req.socket)
  watchHalfClosed(exchange.req.socket, () => false)
  upstream.setTimeout(quietMs, close)
  socket.write(headOf(answer, stamp), 'latin1')
  const edges = WEBSOCKET.test(upgrade.protocol) ? new FrameEdges() : undefined
  let onPassed: (() => void) | undefined
  upstream.on('data', (chunk: Buffer) => {
    sent += chunk.length
    edges?.pass(chunk)
    // After it has been passed on.
    if (onPassed) setImmediate(onPassed)
  })
  if (first.length > 0) {
    sent += first.length
    edges?.pass(first)
    socket.write(first)
  }
  let isEnded = false
  const end = (last?: Buffer) => {
    if (isEnded || socket.destroyed) return
    isEnded = true
    for (const stop of passing) stop()
    upstream.pause()
    // What the visitor still sends is read and dropped: left unread, it would cut the connection before its last words.
    socket.resume()
    if (last) socket.write(last)
    upstream.end()
    endSoon(socket)
  }
  const endStream = (why: StreamEnd) => {
    if (edges === undefined) return end()
    const endBetween = () => {
      onPassed = edges.isBetween ? undefined : endBetween
      if (edges.isBetween) end(CLOSE_FRAMES[why])
    }
    endBetween()
    // The rest of a frame may never come.
    setTimeout(() => end(), LINGER_MS).unref()
  }
  socket.once('close', streams.add(endStream, isLetIn))
  if (upgrade.first.length > 0) upstream.write(upgrade.first)
  const passing = [pour(markUnshared(upstream), socket), pour(markUnshared(socket), upstream)]
  return () => sent
}

/** A peer has so long to take the rest and to close its side. */
const LINGER_MS = 2000

function endSoon(socket: Duplex): void {
  socket.end()
  const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref()
  socket.once('close', () => clearTimeout(timer))
}

function headOf({ status, headers }: SwitchAnswer, { id, date }: Stamp): string {
  const line = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`
  return `${line}${stampLines(date, id)}${headerLines(headers)}\r\n`
}
