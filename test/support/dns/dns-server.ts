import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { type Answer, decode, encode, type Question, streamEncode } from 'dns-packet'

export type Reply =
  | { readonly answers: readonly Answer[]; readonly authorities?: readonly Answer[] }
  | { readonly rcode: 'NXDOMAIN' | 'SERVFAIL' | 'REFUSED' }
  | 'truncated'
  /** Nothing is sent. */
  | 'silence'

export interface TestDnsServer {
  /** `ip:port`, as the resolver wants it. */
  readonly address: string
  readonly asked: Question[]
  close(): Promise<void>
}

const RCODES = { NXDOMAIN: 3, SERVFAIL: 2, REFUSED: 5 } as const
const RECURSION = 0x0180
const TRUNCATED = 0x0200

/** A DNS server over UDP and TCP whose answers the test writes. */
export async function startDnsServer(
  answer: (question: Question, over: 'udp' | 'tcp', recursive: boolean) => Reply,
): Promise<TestDnsServer> {
  const asked: Question[] = []

  function reply(query: Buffer, over: 'udp' | 'tcp') {
    const { id, questions = [], flag_rd: recursive } = decode(query)
    const [question] = questions
    if (!question) return undefined
    asked.push(question)
    const what = answer(question, over, recursive)
    if (what === 'silence') return undefined
    const flags =
      what === 'truncated' ? RECURSION | TRUNCATED : RECURSION | ('rcode' in what ? RCODES[what.rcode] : 0)
    const answers = what !== 'truncated' && 'answers' in what ? [...what.answers] : []
    const authorities = what !== 'truncated' && 'answers' in what ? [...(what.authorities ?? [])] : []
    return { type: 'response', id: id ?? 0, flags, questions, answers, authorities } as const
  }

  const tcp = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy())
    let rest = Buffer.alloc(0)
    socket.on('data', (chunk: Buffer) => {
      rest = Buffer.concat([rest, chunk])
      while (rest.length >= 2 && rest.length >= 2 + rest.readUInt16BE(0)) {
        const end = 2 + rest.readUInt16BE(0)
        const packet = reply(rest.subarray(2, end), 'tcp')
        rest = rest.subarray(end)
        if (packet) socket.write(streamEncode(packet))
      }
    })
  })
  const sockets = new Set<Socket>()
  tcp.listen(0, '127.0.0.1')
  await once(tcp, 'listening')
  const { port } = tcp.address() as AddressInfo
  const udp = createSocket('udp4')
  udp.on('message', (message, from) => {
    const packet = reply(message, 'udp')
    if (packet) udp.send(encode(packet), from.port, from.address)
  })
  udp.bind(port, '127.0.0.1')
  await once(udp, 'listening')

  return {
    address: `127.0.0.1:${port}`,
    asked,
    async close() {
      for (const socket of sockets) socket.destroy()
      udp.close()
      tcp.close()
      await once(tcp, 'close')
    },
  }
}
