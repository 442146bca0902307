import type { Socket } from 'node:net'
import { readSlowly } from './launch/read-slowly.ts'

/** One end of a line of messages: JSON, one a line, in order. */
export interface JsonLines {
  readonly socket: Socket
  /** Lost without a word where the other end is gone. */
  send(message: object): void
}

interface Listening {
  /** Of one line; a longer one ends the connection, as does anything that is no object in JSON. */
  readonly maxBytes: number
  /** The other end is not to be trusted, and must not keep this process busy. */
  readonly slowly?: true
  onMessage(message: Readonly<Record<string, unknown>>): void
  onClose(): void
}

const NEWLINE = 10
/** Of handling one message, in bytes that could be read instead. */
const MESSAGE_COST = 256

export function speakJsonLines(socket: Socket, listening: Listening): JsonLines {
  const { maxBytes, slowly, onMessage, onClose } = listening
  let begun: Buffer[] = []
  let length = 0

  const take = (line: Buffer): void => {
    if (line.length === 0) return
    let message: unknown
    try {
      message = JSON.parse(line.toString())
    } catch {
      // Falls through as something that is no object.
    }
    if (typeof message === 'object' && message !== null) onMessage(message as Record<string, unknown>)
    else socket.destroy()
  }

  const read = (chunk: Buffer): number => {
    let from = 0
    let cost = 0
    for (
      let end = chunk.indexOf(NEWLINE);
      end !== -1 && !socket.destroyed;
      end = chunk.indexOf(NEWLINE, from)
    ) {
      const last = chunk.subarray(from, end)
      from = end + 1
      cost += MESSAGE_COST
      const line = begun.length === 0 ? last : Buffer.concat([...begun, last])
      begun = []
      length = 0
      take(line)
    }
    if (from < chunk.length) {
      begun.push(chunk.subarray(from))
      length += chunk.length - from
      if (length > maxBytes) socket.destroy()
    }
    return cost
  }
  if (slowly) readSlowly(socket, read)
  else socket.on('data', read)
  socket.on('error', () => {})
  socket.once('close', onClose)

  return {
    socket,
    send(message) {
      if (socket.writable) socket.write(`${JSON.stringify(message)}\n`)
    },
  }
}
