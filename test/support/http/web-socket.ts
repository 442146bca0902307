import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

interface OpenSocket {
  /** Sends one frame with these words, and resolves when they came back. */
  say(words: string): Promise<void>
  /** Resolves when the connection is over: with the code of the last frame if that said one, as browsers tell it. */
  readonly closed: Promise<number>
  end(): void
}

/** What browsers say of a connection that ended without a word. */
export const CUT = 1006
const CLOSE = 0x88
const MASK = Buffer.alloc(4)

const frameOf = (words: string): Buffer =>
  Buffer.concat([Buffer.of(0x81, 0x80 | words.length), MASK, Buffer.from(words)])

/** A WebSocket to a server that says back what it is told, over TLS too. */
export async function openWebSocket(
  { port, isSecure }: { readonly port: number; readonly isSecure: boolean },
  host: string,
  path: string,
): Promise<OpenSocket> {
  const socket: Socket = isSecure
    ? connectTls({ host: '127.0.0.1', port, servername: host, rejectUnauthorized: false })
    : connect(port, '127.0.0.1')
  const lines = [
    ...[`GET ${path} HTTP/1.1`, `Host: ${host}`, 'Connection: Upgrade', 'Upgrade: websocket'],
    ...['Sec-WebSocket-Version: 13', `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`],
  ]
  socket.on('error', () => {}).write(`${lines.join('\r\n')}\r\n\r\n`)
  let heard = Buffer.alloc(0)
  let isOver = false
  let look = () => {}
  socket.on('data', (chunk: Buffer) => {
    heard = Buffer.concat([heard, chunk])
    look()
  })
  const { promise: closed, resolve } = Promise.withResolvers<number>()
  socket.on('close', () => {
    isOver = true
    resolve(heard[0] === CLOSE ? heard.readUInt16BE(2) : CUT)
    look()
  })
  const until = (isThere: () => boolean): Promise<void> =>
    new Promise((done, reject) => {
      look = () => {
        if (isThere()) done()
        else if (isOver) reject(new Error(`the connection ended: ${heard.toString('latin1').slice(0, 200)}`))
      }
      look()
    })
  await until(() => heard.includes('\r\n\r\n'))
  if (!heard.toString('latin1').startsWith('HTTP/1.1 101 '))
    throw new Error(heard.toString('latin1').slice(0, 200))
  heard = heard.subarray(heard.indexOf('\r\n\r\n') + 4)
  return {
    async say(words) {
      const frame = frameOf(words)
      socket.write(frame)
      await until(() => heard.length >= frame.length)
      if (!heard.subarray(0, frame.length).equals(frame)) throw new Error(`heard ${heard.toString('latin1')}`)
      heard = heard.subarray(frame.length)
    },
    closed,
    end: () => socket.destroy(),
  }
}
