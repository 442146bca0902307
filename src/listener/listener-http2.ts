import {
  constants,
  createServer,
  getPackedSettings,
  type Http2Server,
  type Http2Session,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
  type Settings,
} from 'node:http2'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { SourceShares } from '#core/access/source-shares.ts'
import type { Log } from '#core/ports/log.ts'
import type { FastLane } from './listener-fast-lane.ts'
import type { ListenerLimits } from './listener-limits.ts'
import { badRequest, refuse } from './listener-refusal.ts'
import type { Handle } from './listener-request.ts'

interface Http2Options {
  readonly dispatch: Handle
  readonly limits: ListenerLimits
  readonly log: Log
  readonly fastLane?: FastLane | undefined
}

interface Http2 {
  /** Takes a connection, or what carries a part of its streams. */
  accept(socket: Socket): void
  /**
   * Asks peers to begin no more streams here; those that are on their way are still taken. A peer that waits for an
   * answer is asked at once, any other when it begins its next stream: many drop what they are about to send.
   */
  beginDrain(): void
  /** The same for the connections that there are, but not for those to come. */
  renew(): void
  /** Ends connections, with the last of their streams, on which none was begun since the sweep before. */
  sweep(): void
}

/** How a connection is being used. */
interface Use {
  /** Streams. */
  open: number
  /** It is new, or a stream was begun, since the last sweep. */
  isFresh: boolean
  /** Whether the peer was asked to begin no more. */
  isGoingAway: boolean
}

/** As the last stream that is taken: all those that the peer has begun before it hears of the end. */
const ANY_STREAM = 2 ** 31 - 1

/** What a peer may send ahead: on one stream, and on all streams of a connection together, where there is room for it. */
const STREAM_WINDOW = 256 * 1024
const SESSION_WINDOW = 1024 * 1024

/**
 * Gives connections the window in which large bodies come fast. What a peer may send cannot be taken back, so a connection has
 * it until its end, and gets it only with its first body. Where too many have it, the others stay with the 64 KB that the
 * protocol begins with: their bodies come more slowly.
 */
class WideWindows {
  readonly #shares: SourceShares
  readonly #wide = new WeakSet<Http2Session>()

  constructor({ maxAhead, maxAheadOfSource }: Pick<ListenerLimits, 'maxAhead' | 'maxAheadOfSource'>) {
    this.#shares = new SourceShares({ all: maxAhead, source: maxAheadOfSource })
  }

  offer(session: Http2Session): void {
    if (this.#wide.has(session) || session.destroyed) return
    const giveBack = this.#shares.take(session.socket.remoteAddress ?? '', SESSION_WINDOW)
    if (giveBack === undefined) return
    this.#wide.add(session)
    session.once('close', giveBack)
    session.setLocalWindowSize(SESSION_WINDOW)
  }
}

export function createHttp2({ dispatch, limits, log, fastLane }: Http2Options): Http2 {
  const sockets = new Set<Socket>()
  const sessions = new Map<Http2Session, Use>()
  const leaving = new WeakSet<Http2Session>()
  const windows = new WideWindows(limits)
  let draining = false
  const isLeaving = ({ session }: ServerHttp2Stream) =>
    draining || (session !== undefined && leaving.has(session))

  const settings: Settings = {
    enablePush: false,
    initialWindowSize: STREAM_WINDOW,
    maxConcurrentStreams: limits.maxStreams,
    maxHeaderListSize: limits.maxHeaderBytes,
  }
  const packedSettings = getPackedSettings(settings)
  // Never listens: connections are given to it as events.
  const server = createServer({
    settings,
    maxHeaderListPairs: limits.maxHeaders,
    maxSessionMemory: limits.maxSessionMemory,
    // A peer that opens streams only to reset them is cut off after so many at once and so many a second.
    streamResetBurst: 4 * limits.maxStreams,
    streamResetRate: 32,
    maxSessionInvalidFrames: 100,
    maxSessionRejectedStreams: 100,
    maxOutstandingPings: 10,
    maxSettings: 32,
  })

  // node:http2 holds a peer to the size of its headers only from when it says that it has heard of it, if it ever does.
  offerStreams(server, (stream, headers, raw) => {
    if (isTooLarge(raw, limits.maxHeaderBytes)) {
      stream.on('error', () => {}).close(constants.NGHTTP2_ENHANCE_YOUR_CALM)
      return true
    }
    return fastLane !== undefined && !isLeaving(stream) && fastLane.takeStream(stream, headers)
  })

  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.on('session', (session) => {
    sessions.set(session, { open: 0, isFresh: true, isGoingAway: false })
    session.once('close', () => sessions.delete(session))
    session.setTimeout(limits.keepAliveMs, () => {
      // With streams open, each of them watches over its own progress.
      if (sessions.get(session)?.open === 0) session.close()
    })
  })
  server.on('sessionError', (error) => log.debug({ err: error }, 'HTTP/2 connection failed'))
  server.on('stream', (stream) => {
    const { session } = stream
    if (!session) return
    if (!stream.endAfterHeaders) windows.offer(session)
    const use = sessions.get(session)
    if (use !== undefined) {
      use.open++
      use.isFresh = true
      stream.once('close', () => use.open--)
      if (isLeaving(stream)) tellEnd(session, use)
    }
    watchProgress(stream, limits.stallMs)
  })
  server.on('request', dispatch)
  server.on('checkExpectation', (_req, res) =>
    refuse(res, badRequest('only the expectation 100-continue is supported', 417)),
  )
  server.on('connect', (_req, res) =>
    refuse(res, badRequest('this server is not a proxy, CONNECT is refused')),
  )

  return {
    accept(socket) {
      if (!fastLane) server.emit('connection', socket)
      else
        fastLane.takeHttp2(socket, {
          settings: packedSettings,
          maxHeaderBytes: limits.maxHeaderBytes,
          handOver: (connection) => giveConnection(server, connection, socket),
        })
    },
    beginDrain() {
      draining = true
      this.renew()
    },
    renew() {
      for (const [session, use] of sessions) {
        leaving.add(session)
        use.isFresh = true
        if (use.open > 0) tellEnd(session, use)
      }
    },
    sweep() {
      for (const [session, use] of sessions) {
        // A peer that has not heard of the end yet, or has just come, may be about to send.
        if (!use.isFresh && use.isGoingAway) session.close()
        if (!use.isFresh) tellEnd(session, use)
        use.isFresh = false
      }
      // Everything was said, the peer has only to close its side.
      for (const socket of sockets) if (socket.writableFinished) socket.destroy()
    },
  }
}

/** Gives node:http2 a socket, or what carries some of the streams that come by it. */
export function giveConnection(server: Http2Server, connection: Duplex, socket: Socket): void {
  const onSession = (session: Http2Session) => describe(session, socket)
  if (connection !== socket) server.once('session', onSession)
  server.emit('connection', connection)
  server.off('session', onSession)
}

/** Whoever asks for the peer of a stream gets to know that of the socket, whatever is between them. */
function describe({ socket: proxy }: Http2Session, socket: Socket): void {
  // It is shown through a proxy, to which a method that answers `this` is the only way past.
  const shown = proxy.setMaxListeners(0)
  for (const name of ['remoteAddress', 'remotePort', 'remoteFamily', 'localAddress', 'localPort'] as const)
    Object.defineProperty(shown, name, { value: socket[name], configurable: true })
  Object.defineProperty(shown, 'encrypted', { value: 'encrypted' in socket, configurable: true })
}

function tellEnd(session: Http2Session, use: Use): void {
  if (use.isGoingAway || session.closed || session.destroyed) return
  use.isGoingAway = true
  session.goaway(constants.NGHTTP2_NO_ERROR, ANY_STREAM)
}

/** Lets somebody answer a stream before anything is made of it: there is no event that a listener could stop. */
function offerStreams(
  server: Http2Server,
  take: (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, raw: readonly string[]) => boolean,
): void {
  const emit = server.emit.bind(server) as (event: string, ...given: unknown[]) => boolean
  const offered = (event: string, ...given: unknown[]): boolean =>
    event === 'stream' &&
    take(given[0] as ServerHttp2Stream, given[1] as IncomingHttpHeaders, given[3] as readonly string[])
      ? true
      : emit(event, ...given)
  server.emit = offered as typeof server.emit
}

/** A name and a value cost as much more, by the rules of the protocol. */
const FIELD_BYTES = 32

/** Names and values in turn. */
function isTooLarge(headers: readonly string[], maxBytes: number): boolean {
  let bytes = headers.length * (FIELD_BYTES / 2)
  for (const text of headers) bytes += text.length
  return bytes > maxBytes
}

/** Resets a stream whose peer owes us bytes or does not take ours. A slow handler is no fault of the peer's. */
function watchProgress(stream: ServerHttp2Stream, stallMs: number): void {
  stream.setTimeout(stallMs, () => {
    const owesBytes = stream.readableFlowing === true && !stream.readableEnded
    if (owesBytes || stream.writableLength > 0) stream.close(constants.NGHTTP2_CANCEL)
    else stream.setTimeout(stallMs)
  })
}
