import { createSocket, type RemoteInfo, type Socket as UdpSocket } from 'node:dgram'
import { connect, isIPv6, type Socket } from 'node:net'
import { decode, encode } from 'dns-packet'
import type { Destinations } from '#core/outbound/destinations.ts'

interface NameServerOptions {
  readonly destinations: Destinations
  readonly resolvers: () => Promise<readonly string[]>
  /** Of the resolvers; another one in tests. */
  readonly port?: number
}

interface NameServer {
  /** Answers what comes in on a socket for datagrams. */
  serve(socket: UdpSocket): void
  /** Answers what comes in on a connection. */
  serveStream(socket: Socket): void
}

/** Before the next resolver is asked. */
const TIMEOUT_MS = 2500
/** Of one guest, and of all, that wait for an answer. */
const MOST_OF_ONE = 128
const MOST = 1024
const HEADER = 12
const SERVFAIL = 2
const TTL = 30
const STREAM_IDLE_MS = 10_000

/** The question, where there is a single one that we might know the answer to ourselves. */
function questionOf(query: Buffer): { readonly name: string; readonly type: string } | undefined {
  try {
    const { questions = [] } = decode(query)
    const [question] = questions
    if (questions.length !== 1 || question === undefined) return undefined
    return { name: question.name.toLowerCase().replace(/\.$/, ''), type: question.type }
  } catch {
    return undefined
  }
}

/** A query's own bytes, made an answer that says that there is none. */
function failure(query: Buffer): Buffer {
  const answer = Buffer.from(query.subarray(0, HEADER))
  answer[2] = (answer[2] ?? 0) | 0x80
  answer[3] = 0x80 | SERVFAIL
  answer.fill(0, 4)
  return answer
}

function ownAnswer(query: Buffer, name: string, type: string, addresses: readonly string[]): Buffer {
  const { id = 0, questions = [] } = decode(query)
  const answers =
    type === 'A'
      ? addresses.map((data) => ({ type: 'A' as const, class: 'IN' as const, name, ttl: TTL, data }))
      : []
  // Authoritative, recursion desired and available.
  return encode({ type: 'response', id, flags: 0x0580, questions, answers })
}

/** Asks one resolver by datagram; undefined where it does not answer in time. */
const askByDatagram = (query: Buffer, resolver: string, port: number): Promise<Buffer | undefined> =>
  new Promise((resolve) => {
    const socket = createSocket(isIPv6(resolver.replace(/%.*$/, '')) ? 'udp6' : 'udp4')
    const timer = setTimeout(() => settle(undefined), TIMEOUT_MS)
    const settle = (answer: Buffer | undefined) => {
      clearTimeout(timer)
      socket.close()
      resolve(answer)
    }
    socket.once('error', () => settle(undefined))
    // A connected socket takes datagrams of that address and port alone. A callback for `connect` would be called with its
    // failure too, and no event be emitted.
    socket.once('connect', () => {
      socket.on('message', (answer) => {
        if (answer.length >= HEADER && answer.readUInt16BE(0) === query.readUInt16BE(0)) settle(answer)
      })
      socket.send(query)
    })
    socket.connect(port, resolver)
  })

/** Asks one resolver by a connection of its own. */
const askByStream = (query: Buffer, resolver: string, port: number): Promise<Buffer | undefined> =>
  new Promise((resolve) => {
    const socket = connect({ host: resolver, port })
    const settle = (answer: Buffer | undefined) => {
      socket.destroy()
      resolve(answer)
    }
    socket.setTimeout(TIMEOUT_MS, () => settle(undefined))
    for (const event of ['error', 'end', 'close']) socket.once(event, () => settle(undefined))
    readMessages(socket, (answer) => settle(answer))
    socket.write(framed(query))
  })

const framed = (message: Buffer): Buffer => {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(message.length)
  return Buffer.concat([length, message])
}

/** Messages on a stream come after their lengths. */
function readMessages(socket: Socket, take: (message: Buffer) => void): void {
  let rest = Buffer.alloc(0)
  socket.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk])
    while (rest.length >= 2 && rest.length >= 2 + rest.readUInt16BE(0)) {
      const end = 2 + rest.readUInt16BE(0)
      take(rest.subarray(2, end))
      rest = rest.subarray(end)
    }
  })
}

/**
 * Answers the questions of runs: names of the installation by what the platform says, all others by what the machine's
 * resolvers say, as it is. What an answer leads to is decided when a connection is made.
 */
export function createNameServer({ destinations, resolvers, port = 53 }: NameServerOptions): NameServer {
  const waiting = new Map<string, number>()
  let all = 0

  async function answer(
    query: Buffer,
    guest: string,
    ask: typeof askByDatagram,
  ): Promise<Buffer | undefined> {
    // A question, and not an answer that somebody pretends to have asked for.
    if (query.length < HEADER || ((query[2] ?? 0) & 0x80) !== 0) return undefined
    const question = questionOf(query)
    const ofGuest = waiting.get(guest) ?? 0
    if (ofGuest >= MOST_OF_ONE || all >= MOST) return undefined
    waiting.set(guest, ofGuest + 1)
    all++
    try {
      const own = question && (await destinations.addressesOf(question.name))
      if (question && own) return ownAnswer(query, question.name, question.type, own)
      for (const resolver of await resolvers()) {
        const reply = await ask(query, resolver, port)
        if (reply) return reply
      }
      return failure(query)
    } finally {
      all--
      const left = (waiting.get(guest) ?? 1) - 1
      if (left === 0) waiting.delete(guest)
      else waiting.set(guest, left)
    }
  }

  return {
    serve(socket) {
      socket.on('error', () => {})
      socket.on('message', (query: Buffer, { address, port: from }: RemoteInfo) => {
        // Nothing can be sent there.
        if (from === 0) return
        answer(query, address, askByDatagram)
          .then((reply) => reply && socket.send(reply, from, address, () => {}))
          .catch(() => {})
      })
    },
    serveStream(socket) {
      const guest = socket.remoteAddress ?? ''
      socket.setTimeout(STREAM_IDLE_MS, () => socket.destroy())
      socket.on('error', () => socket.destroy())
      readMessages(socket, (query) => {
        answer(query, guest, askByStream)
          .then((reply) => (reply ? socket.write(framed(reply)) : socket.destroy()))
          .catch(() => socket.destroy())
      })
    },
  }
}
