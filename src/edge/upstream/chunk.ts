import type { Socket } from 'node:net'

/** Writes a piece of a body whose length nobody knows yet. Like `write`, false when the connection has enough for now. */
export function writeChunk(socket: Socket, chunk: Buffer, onWritten?: () => void): boolean {
  socket.cork()
  socket.write(`${chunk.length.toString(16)}\r\n`, 'latin1')
  socket.write(chunk, onWritten)
  const goesOn = socket.write('\r\n', 'latin1')
  socket.uncork()
  return goesOn
}

/** After the last of them. */
export const endChunks = (socket: Socket): boolean => socket.write('0\r\n\r\n', 'latin1')
