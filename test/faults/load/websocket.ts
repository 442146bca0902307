import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'

/** A server that says back what it is told. */
export const ECHO = {
  'package.json': JSON.stringify({ scripts: { start: 'node server.js' } }),
  'server.js': `const { createHash } = require('node:crypto')
const server = require('node:http').createServer((req, res) => res.end('plain'))
server.on('upgrade', (req, socket) => {
  const accept = createHash('sha1').update(req.headers['sec-websocket-key'] + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11').digest('base64')
  socket.write('HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\nSec-WebSocket-Accept: ' + accept + '\\r\\n\\r\\n')
  socket.on('error', () => {})
  socket.on('data', (data) => socket.write(data))
})
server.listen(process.env.PORT || 3000)
`,
}

const TIMEOUT_MS = 10_000

/** What comes next; rejects when the connection is cut, or nothing comes. */
function next(socket: Socket): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const onData = (data: Buffer) => resolve(data.toString('latin1'))
  const onClose = () => reject(new Error('the connection was cut'))
  const timer = setTimeout(() => reject(new Error('no word came back')), TIMEOUT_MS)
  socket.once('data', onData).once('close', onClose)
  return promise.finally(() => {
    clearTimeout(timer)
    socket.off('data', onData).off('close', onClose)
  })
}

export interface Conversation {
  /** Rejects when it does not come back. */
  say(word: string): Promise<void>
  end(): void
}

/** A WebSocket to a server that says back what it is told. */
export async function converse(port: number, host: string): Promise<Conversation> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  const key = randomBytes(16).toString('base64')
  socket.write(
    `GET /chat HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`,
  )
  const head = await next(socket)
  if (!head.startsWith('HTTP/1.1 101 ')) {
    socket.destroy()
    throw new Error(`no WebSocket: ${head.split('\r\n', 1)[0]}`)
  }
  return {
    async say(word) {
      const answer = next(socket)
      socket.write(word)
      const said = await answer
      if (said !== word) throw new Error(`said ${word}, heard ${said}`)
    },
    end: () => socket.destroy(),
  }
}
