/**
 * The least that Node could do to be called the same, as a process of its own: what is compared with it has only so much
 * to gain. It reads nothing of what it is sent but where a request ends.
 *
 *   net       writes one ready answer for each head
 *   unix      the same on a unix socket
 *   tls       the same over TLS
 *   http2     answers each stream of node:http2 with the same header and body
 *   forward   passes each request on to a unix socket, over kept connections, and the answer back
 *   dgram     sends each datagram back with the bit of an answer set
 */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createSecureServer } from 'node:http2'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'

const [kind = '', ...rest] = process.argv.slice(2)

const END = '\r\n\r\n'

const headsIn = (chunk: Buffer): number => {
  let count = 0
  for (let at = chunk.indexOf(END); at >= 0; at = chunk.indexOf(END, at + END.length)) count += 1
  return count
}

function answerAll(socket: Socket, answer: Buffer): void {
  socket.setNoDelay(true)
  socket.on('error', () => socket.destroy())
  socket.on('data', (chunk: Buffer) => {
    for (let left = headsIn(chunk); left > 0; left--) socket.write(answer)
  })
}

const readyAnswer = (file: string): Buffer => {
  const body = readFileSync(file)
  const head = `HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nContent-Length: ${body.length}${END}`
  return Buffer.concat([Buffer.from(head), body])
}

/** Connections that are free, and one for each request that found none. */
function forwardTo(path: string): Server {
  const free: Socket[] = []
  const open = () => {
    const socket = connect(path)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => free.includes(socket) && free.splice(free.indexOf(socket), 1))
    return socket
  }
  return createServer({ noDelay: true }, (visitor) => {
    visitor.on('error', () => visitor.destroy())
    visitor.on('data', (request: Buffer) => {
      const upstream = free.pop() ?? open()
      const onAnswer = (answer: Buffer) => {
        visitor.write(answer)
        upstream.off('data', onAnswer)
        free.push(upstream)
      }
      upstream.on('data', onAnswer)
      upstream.write(request)
    })
  })
}

async function listenUnix(server: Server, path: string): Promise<number> {
  server.listen(path)
  await once(server, 'listening')
  return 0
}

async function listenTcp(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

async function listen(): Promise<number> {
  const [first = '', second = '', third = ''] = rest
  if (kind === 'forward') return listenTcp(forwardTo(first))
  if (kind === 'dgram') {
    const socket = createSocket('udp4')
    socket.on('message', (question, { port, address }) => {
      question[2] = (question[2] ?? 0) | 0x80
      socket.send(question, port, address)
    })
    socket.bind(0, '127.0.0.1')
    await once(socket, 'listening')
    return socket.address().port
  }
  const answer = kind === 'http2' ? readFileSync(first) : readyAnswer(first)
  if (kind === 'net') return listenTcp(createServer((socket) => answerAll(socket, answer)))
  if (kind === 'unix')
    return listenUnix(
      createServer((socket) => answerAll(socket, answer)),
      second,
    )
  const pair = { key: readFileSync(second), cert: readFileSync(third) }
  if (kind === 'tls') return listenTcp(createTlsServer(pair, (socket) => answerAll(socket, answer)))
  const server = createSecureServer(pair)
  server.on('stream', (stream) => {
    stream.on('error', () => stream.destroy())
    stream.respond({ ':status': 200, 'content-length': answer.length })
    stream.end(answer)
  })
  return listenTcp(server as unknown as Server)
}

process.send?.(await listen())
