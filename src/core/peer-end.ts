import type { Readable } from 'node:stream'

const waiting = new WeakMap<Readable, Set<() => void>>()

/**
 * Calls `ended` when the peer has ended its side of a connection, or soon if it has already. Answers how to call it
 * off. A connection has one listener for all of them: over HTTP/1.1 a visitor may ask any number of things at once.
 */
export function onPeerEnd(socket: Readable, ended: () => void): () => void {
  if (socket.readableEnded) {
    const soon = setImmediate(ended)
    return () => clearImmediate(soon)
  }
  const all = waiting.get(socket) ?? listen(socket)
  // Each is an entry of its own, also where the same function is given twice.
  const entry = () => ended()
  all.add(entry)
  return () => void all.delete(entry)
}

function listen(socket: Readable): Set<() => void> {
  const all = new Set<() => void>()
  waiting.set(socket, all)
  socket.once('end', () => {
    for (const ended of all) ended()
    all.clear()
  })
  return all
}
