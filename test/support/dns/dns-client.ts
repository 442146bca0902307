import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect } from 'node:net'
import { type DecodedPacket, decode, encode, type RecordType } from 'dns-packet'

export interface Asking {
  readonly name: string
  readonly type: string
  /** Bytes that an answer may have over UDP, with EDNS; without it there is no EDNS. */
  readonly udpBytes?: number
}

export interface DnsClient {
  ask(asking: Asking, over?: 'udp' | 'tcp'): Promise<DnsReply>
  /** Any bytes over UDP; resolves with the first answer. */
  send(packet: Buffer): Promise<Buffer>
  close(): Promise<void>
}

export interface DnsReply {
  readonly bytes: Buffer
  readonly packet: DecodedPacket & { rcode?: string }
}

const ID_BYTES = 2
const NO_ANSWER_MS = 10_000

export const question = ({ name, type, udpBytes }: Asking, id: number): Buffer =>
  encode({
    type: 'query',
    id,
    questions: [{ name, type: type as RecordType, class: 'IN' }],
    additionals:
      udpBytes === undefined
        ? []
        : [{ type: 'OPT', name: '.', udpPayloadSize: udpBytes, flags: 0, options: [] } as never],
  })

/** Asks one server, many questions at a time. */
export async function createDnsClient(port: number): Promise<DnsClient> {
  const socket = createSocket('udp4')
  socket.connect(port, '127.0.0.1')
  await once(socket, 'connect')
  const waiting = new Map<number, (answer: Buffer) => void>()
  let ids = 0
  socket.on('message', (answer) => {
    const id = answer.readUInt16BE(0)
    waiting.get(id)?.(answer)
    waiting.delete(id)
  })

  function send(packet: Buffer): Promise<Buffer> {
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
    const late = setTimeout(() => reject(new Error('no answer')), NO_ANSWER_MS)
    waiting.set(packet.readUInt16BE(0), (answer) => {
      clearTimeout(late)
      resolve(answer)
    })
    socket.send(packet)
    return promise
  }

  async function sendTcp(packet: Buffer): Promise<Buffer> {
    const stream = connect(port, '127.0.0.1')
    stream.end(Buffer.concat([Buffer.of(packet.length >> 8, packet.length & 255), packet]))
    const bytes = Buffer.concat(await stream.toArray())
    return bytes.subarray(ID_BYTES, ID_BYTES + bytes.readUInt16BE(0))
  }

  return {
    send,
    async ask(asking, over = 'udp') {
      ids = (ids + 1) % 65_536
      const packet = question(asking, ids)
      const bytes = await (over === 'udp' ? send(packet) : sendTcp(packet))
      return { bytes, packet: decode(bytes) }
    },
    close: () => new Promise((closed) => socket.close(() => closed())),
  }
}
