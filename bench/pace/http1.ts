import { once } from 'node:events'
import { connect as connectPlain, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { Connections, Listener } from './schedule.ts'

/** As many as `wrk` has. */
const CONNECTIONS = 32
/** What is read is looked at before anything else is, so that all connections share it. */
const READ = Buffer.allocUnsafeSlow(256 * 1024)

export interface HttpAim {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** Opens a connection of which everything that comes is told in pieces that are good until the next. */
export async function openSocket(
  { url }: HttpAim,
  onBytes: (bytes: Buffer) => void,
  protocols: readonly string[] = [],
): Promise<Socket> {
  const { protocol, hostname, port } = new URL(url)
  const onread = {
    buffer: READ,
    callback(length: number) {
      onBytes(READ.subarray(0, length))
      return true
    },
  }
  const where = { host: hostname, port: Number(port), onread }
  const isSecure = protocol === 'https:'
  const socket = isSecure
    ? connectTls({ ...where, rejectUnauthorized: false, ALPNProtocols: [...protocols] })
    : connectPlain(where)
  await once(socket, isSecure ? 'secureConnect' : 'connect')
  socket.setNoDelay(true)
  socket.on('close', () => {
    throw new Error(`${url} closed a connection`)
  })
  return socket
}

export function close(sockets: readonly Socket[]): void {
  for (const socket of sockets) socket.removeAllListeners('close').destroy()
}

/** Tells the end of each answer with a `Content-Length`. */
class AnswerReader {
  #head = ''
  #left = 0

  /** Answers how many answers have ended in these bytes. */
  read(bytes: Buffer): number {
    let ended = 0
    for (let at = 0; at < bytes.length; ) {
      if (this.#left === 0) at = this.#readHead(bytes, at)
      const taken = Math.min(this.#left, bytes.length - at)
      if (taken === 0) continue
      at += taken
      this.#left -= taken
      if (this.#left === 0) ended += 1
    }
    return ended
  }

  #readHead(bytes: Buffer, at: number): number {
    const before = this.#head.length
    const text = this.#head + bytes.toString('latin1', at, Math.min(bytes.length, at + 4096))
    const end = text.indexOf('\r\n\r\n')
    if (end < 0) {
      this.#head = text
      return Math.min(bytes.length, at + 4096)
    }
    this.#head = ''
    const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1]
    if (!text.startsWith('HTTP/1.1 2') || length === undefined || length === '0')
      throw new Error(`unexpected answer: ${text.slice(0, 500)}`)
    this.#left = Number(length)
    return at + end + 4 - before
  }
}

/** Over connections with one request under way each. */
export async function openHttp1(aim: HttpAim, { answered, turn }: Listener): Promise<Connections> {
  const { pathname, search, host } = new URL(aim.url)
  const headers = Object.entries({ Host: host, ...aim.headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  const request = Buffer.from(`GET ${pathname}${search} HTTP/1.1\r\n${headers.join('')}\r\n`)
  const free: number[] = []
  const underWay: number[] = []
  const sockets = await Promise.all(
    Array.from({ length: CONNECTIONS }, (_, n) => {
      const reader = new AnswerReader()
      return openSocket(aim, (bytes) => {
        if (reader.read(bytes) === 0) return
        free.push(n)
        answered(underWay[n] as number)
        turn()
      })
    }),
  )
  free.push(...sockets.keys())
  return {
    send(number) {
      const next = free.shift()
      if (next === undefined) return false
      underWay[next] = number
      sockets[next]?.write(request)
      return true
    },
    flush() {},
    close: () => close(sockets),
  }
}
