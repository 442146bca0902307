import type { Socket } from 'node:net'
import { close, type HttpAim, openSocket } from './http1.ts'
import type { Connections, Listener } from './schedule.ts'

/** As many as `h2load` is told to have. */
const CONNECTIONS = 8
const STREAMS = 16

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
const FRAME_HEAD = 9
const [DATA, HEADERS, RESET, SETTINGS, PING, GOAWAY, WINDOW_UPDATE] = [0, 1, 3, 4, 6, 7, 8]
const [END_STREAM, ACK, END_HEADERS] = [1, 1, 4]
/** Of HPACK: the whole of `:status: 200`. */
const STATUS_200 = 0x88
/** The request that comes with the preface, of which nothing is measured. */
const FIRST = -1
const MOST_WINDOW = 0x7fff_ffff
/** So much is read before the window of a connection is opened again. */
const READ_BEFORE_UPDATE = 1 << 24

interface Frame {
  readonly type: number
  readonly flags?: number
  readonly stream?: number
  readonly payload: Buffer
}

function frame({ type, flags = 0, stream = 0, payload }: Frame): Buffer {
  const head = Buffer.alloc(FRAME_HEAD)
  head.writeUIntBE(payload.length, 0, 3)
  head[3] = type
  head[4] = flags
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

/** Without tables and Huffman's code. */
function block({ url, headers: { Host, ...headers } }: HttpAim): Buffer {
  const { pathname, search, host } = new URL(url)
  const text = (value: string) => {
    if (value.length > 126) throw new Error(`${value} is too long for a length of one byte`)
    return [value.length, ...Buffer.from(value)]
  }
  const others = Object.entries(headers).flatMap(([name, value]) => [
    0,
    ...text(name.toLowerCase()),
    ...text(value),
  ])
  return Buffer.from([0x82, 0x87, 4, ...text(pathname + search), 1, ...text(Host ?? host), ...others])
}

class Client {
  readonly #socket: Socket
  readonly #request: Buffer
  readonly #listener: Listener
  readonly #underWay = new Map<number, number>()
  #nextStream = 1
  #out: Buffer[] = []
  #rest: Buffer = Buffer.alloc(0)
  #unsaid = 0

  private constructor(socket: Socket, aim: HttpAim, listener: Listener) {
    this.#socket = socket
    this.#request = frame({ type: HEADERS, flags: END_STREAM | END_HEADERS, payload: block(aim) })
    this.#listener = listener
    const settings = Buffer.concat([Buffer.from([0, 4]), uint32(MOST_WINDOW)])
    this.#out.push(PREFACE, frame({ type: SETTINGS, payload: settings }))
    this.#out.push(frame({ type: WINDOW_UPDATE, payload: uint32(MOST_WINDOW - 0xffff) }))
    // As whoever opens a connection because there is something to ask for.
    this.send(FIRST)
    this.flush()
  }

  static async open(aim: HttpAim, listener: Listener): Promise<{ client: Client; socket: Socket }> {
    let client: Client | undefined
    const early: Buffer[] = []
    const onBytes = (bytes: Buffer) => (client ? client.#read(bytes) : early.push(Buffer.from(bytes)))
    const socket = await openSocket(aim, onBytes, ['h2'])
    client = new Client(socket, aim, listener)
    for (const bytes of early) client.#read(bytes)
    return { client, socket }
  }

  send(number: number): boolean {
    if (this.#underWay.size === STREAMS) return false
    const request = Buffer.from(this.#request)
    request.writeUInt32BE(this.#nextStream, 5)
    this.#underWay.set(this.#nextStream, number)
    this.#nextStream += 2
    this.#out.push(request)
    return true
  }

  flush(): void {
    if (this.#out.length === 0) return
    this.#socket.write(this.#out.length === 1 ? (this.#out[0] as Buffer) : Buffer.concat(this.#out))
    this.#out = []
  }

  #read(came: Buffer): void {
    const bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, came]) : came
    let at = 0
    while (bytes.length - at >= FRAME_HEAD) {
      const end = at + FRAME_HEAD + bytes.readUIntBE(at, 3)
      if (end > bytes.length) break
      this.#take(bytes, at, end)
      at = end
    }
    this.#rest = at < bytes.length ? Buffer.from(bytes.subarray(at)) : Buffer.alloc(0)
    this.flush()
    this.#listener.refill()
  }

  #take(bytes: Buffer, at: number, end: number): void {
    const [type, flags = 0] = [bytes[at + 3], bytes[at + 4]]
    if (type === HEADERS && bytes[at + FRAME_HEAD] !== STATUS_200) throw new Error('an answer was no 200')
    if (type === RESET || type === GOAWAY) throw new Error('a stream or a connection was ended')
    if (type === SETTINGS && !(flags & ACK))
      this.#out.push(frame({ type: SETTINGS, flags: ACK, payload: Buffer.alloc(0) }))
    if (type === PING && !(flags & ACK)) {
      const payload = Buffer.from(bytes.subarray(at + FRAME_HEAD, end))
      this.#out.push(frame({ type: PING, flags: ACK, payload }))
    }
    if (type === DATA) this.#widen(end - at - FRAME_HEAD)
    if ((type === DATA || type === HEADERS) && flags & END_STREAM) this.#end(bytes.readUInt32BE(at + 5))
  }

  #widen(read: number): void {
    this.#unsaid += read
    if (this.#unsaid < READ_BEFORE_UPDATE) return
    this.#out.push(frame({ type: WINDOW_UPDATE, payload: uint32(this.#unsaid) }))
    this.#unsaid = 0
  }

  #end(stream: number): void {
    const number = this.#underWay.get(stream)
    if (number === undefined) throw new Error(`an answer on stream ${stream}, which asked for nothing`)
    this.#underWay.delete(stream)
    if (number !== FIRST) this.#listener.answered(number)
  }
}

/**
 * Over connections with several requests under way each. Requests that are due in the same millisecond share a connection and a
 * write as far as they can, as those of `h2load` do, by which the greatest rate is known.
 */
export async function openHttp2(aim: HttpAim, listener: Listener): Promise<Connections> {
  const opened = await Promise.all(Array.from({ length: CONNECTIONS }, () => Client.open(aim, listener)))
  const clients = opened.map(({ client }) => client)
  let last = 0
  return {
    send(number) {
      for (let tries = 0; tries < clients.length; tries++) {
        if (clients[last]?.send(number)) return true
        last = (last + 1) % clients.length
      }
      return false
    },
    flush() {
      last = (last + 1) % clients.length
      for (const client of clients) client.flush()
    },
    close: () => close(opened.map(({ socket }) => socket)),
  }
}
