import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { TrustedProxies } from '#core/access/trusted-proxies.ts'

/** Somebody who answers what they can of connections and streams before the HTTP servers see them. */
export interface FastLane {
  /** Takes an HTTP/1.x connection; whatever it does not answer itself it hands over, for good. */
  take(socket: Socket, handOver: (socket: Socket) => void): void
  /**
   * Takes an HTTP/2 connection. What it does not answer itself it hands over: the socket, before anything was sent, or what
   * carries the other streams. `settings` is what the peer is told at the start, packed; `maxHeaderBytes` is one of them.
   */
  takeHttp2(
    socket: Socket,
    given: { readonly settings: Buffer; readonly maxHeaderBytes: number; handOver(connection: Duplex): void },
  ): void
  /** Answers an HTTP/2 stream at once, or leaves it untouched and says false. */
  takeStream(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): boolean
  /** Hands over every connection it has, and `forGood` those to come at once. */
  release(forGood: boolean): void
}

/** Of a connection, it takes for the visitor who is at the other end. At that of a proxy there are many. */
export const withoutProxies = (lane: FastLane, proxies: TrustedProxies): FastLane => ({
  ...lane,
  take: (socket, handOver) =>
    proxies.has(socket.remoteAddress) ? handOver(socket) : lane.take(socket, handOver),
  takeHttp2: (socket, given) =>
    proxies.has(socket.remoteAddress) ? given.handOver(socket) : lane.takeHttp2(socket, given),
  takeStream: (stream, headers) =>
    !proxies.has(stream.session?.socket.remoteAddress) && lane.takeStream(stream, headers),
})
