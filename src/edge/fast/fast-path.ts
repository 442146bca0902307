import type { Socket } from 'node:net'
import type { Shared } from '../shared.ts'
import { CachedHits } from './cached-hits.ts'
import { FastConnection, type HandOver } from './fast-connection.ts'
import { Http2Connection, type Http2Given } from './http2/http2-connection.ts'

export interface FastPath {
  /**
   * Answers GET requests for files in memory straight on the connection. The first request that is anything else,
   * or that leaves a doubt, is handed over together with the connection, for good.
   */
  take(socket: Socket, handOver: HandOver): void
  /** The same over HTTP/2, where only the streams of other requests are handed over, if the first is one of these. */
  takeHttp2(socket: Socket, given: Http2Given): void
  /** Hands over all connections, and `forGood` those to come at once. */
  release(forGood: boolean): void
}

interface FastPathOptions extends Shared {
  /** How long an idle connection is kept; the same as that of the server that connections are handed over to. */
  readonly keepAliveMs: number
  readonly firstRequestMs?: number | undefined
}

export function createFastPath(options: FastPathOptions): FastPath {
  const { clock, keepAliveMs, cache, wires } = options
  const shared = { ...options, hits: new CachedHits(cache, wires) }
  const connections = new Set<FastConnection | Http2Connection>()
  // Looking at all of them now and then costs less than a timer of each that every request moves.
  const sweeper = setInterval(() => {
    const now = clock.monotonic()
    for (const connection of connections) connection.sweep(now)
  }, keepAliveMs / 4).unref()
  let released = false

  return {
    take(socket, handOver) {
      if (released) {
        handOver(socket)
        return
      }
      connections.add(new FastConnection(socket, shared, handOver, (gone) => connections.delete(gone)))
    },
    takeHttp2(socket, given) {
      if (released) {
        given.handOver(socket)
        return
      }
      connections.add(new Http2Connection(socket, shared, given, (gone) => connections.delete(gone)))
    },
    release(forGood) {
      released = forGood
      if (forGood) clearInterval(sweeper)
      for (const connection of connections) connection.release()
    },
  }
}
