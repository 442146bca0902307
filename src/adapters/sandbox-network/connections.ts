import { connect, type Socket } from 'node:net'
import { MINUTE } from '#contract/time.ts'
import { markUnshared, pour } from '#core/chunks.ts'
import type { Destinations } from '#core/outbound/destinations.ts'

export interface Connections {
  /**
   * Takes a connection, paused, and passes it on or refuses it. A run made it to `socket.localAddress`, or to somewhere
   * else that was led here.
   */
  pass(socket: Socket, madeTo?: { readonly address: string; readonly port: number }): void
  close(): void
}

/** At one moment: of one guest, and of all. */
const MOST_OF_ONE = 1024
const MOST = 8192
const CONNECT_WITHIN_MS = 30_000
const PROBE_AFTER_MS = MINUTE

/** Connects runs with what they are allowed to reach. */
export function createConnections(destinations: Destinations): Connections {
  const open = new Set<Socket>()
  const ofGuests = new Map<string, number>()

  function count(guest: string, by: 1 | -1): number {
    const now = (ofGuests.get(guest) ?? 0) + by
    if (now === 0) ofGuests.delete(guest)
    else ofGuests.set(guest, now)
    return now
  }

  return {
    pass(socket, madeTo) {
      const { localAddress = '', localPort = 0, remoteAddress: guest = '' } = socket
      const { address, port } = madeTo ?? { address: localAddress, port: localPort }
      socket.on('error', () => {})
      const to = destinations.connectTo(address.replace(/^::ffff:/, ''), port)
      if (to === undefined || open.size >= MOST || (ofGuests.get(guest) ?? 0) >= MOST_OF_ONE) {
        socket.resetAndDestroy()
        return
      }
      count(guest, 1)
      open.add(socket)
      const target = connect({ ...to, allowHalfOpen: true, noDelay: true })
      const slow = setTimeout(() => target.destroy(), CONNECT_WITHIN_MS)
      socket.setNoDelay(true)
      socket.once('close', () => {
        count(guest, -1)
        open.delete(socket)
        clearTimeout(slow)
        target.destroy()
      })
      target.once('connect', () => {
        clearTimeout(slow)
        // Neither side is left with a connection whose other end vanished without a word.
        for (const each of [socket, target]) each.setKeepAlive(true, PROBE_AFTER_MS)
        pour(markUnshared(socket), target)
        pour(markUnshared(target), socket)
      })
      // An end that was not orderly is passed on as such.
      target.on('error', () => socket.resetAndDestroy())
      target.once('close', () => {
        if (!socket.writableEnded) socket.resetAndDestroy()
      })
      socket.once('error', () => target.resetAndDestroy())
    },
    close() {
      for (const socket of open) socket.destroy()
    },
  }
}
