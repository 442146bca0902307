import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { isIPv6 } from 'node:net'
import { type DecodedPacket, decode, encode } from 'dns-packet'

interface Asking {
  readonly port: number
  readonly timeoutMs: number
}

/** Found, and that there is no such name. */
const ANSWERS: readonly number[] = [0, 3]

const sameName = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

/** The answer of one server to one question without recursion; undefined when there is none in time. */
function ask(server: string, name: string, { port, timeoutMs }: Asking): Promise<DecodedPacket | undefined> {
  const id = randomInt(0x10000)
  const query = encode({ type: 'query', id, flags: 0, questions: [{ type: 'NS', class: 'IN', name }] })
  return new Promise((resolve) => {
    const socket = createSocket(isIPv6(server) ? 'udp6' : 'udp4')
    const finish = (packet: DecodedPacket | undefined) => {
      clearTimeout(timer)
      socket.removeAllListeners('message')
      socket.close()
      resolve(packet)
    }
    const timer = setTimeout(() => finish(undefined), timeoutMs)
    socket.once('error', () => finish(undefined))
    socket.on('message', (message) => {
      const packet = read(message)
      const [question] = packet?.questions ?? []
      const isAnswer = packet?.type === 'response' && packet.id === id && question?.type === 'NS'
      if (isAnswer && sameName(question.name, name)) finish(packet)
    })
    // Once it is connected, it hears nobody else. A callback for `connect` would be called with its failure too, and no
    // event be emitted.
    socket.once('connect', () => socket.send(query))
    socket.connect(port, server)
  })
}

function read(message: Buffer): DecodedPacket | undefined {
  try {
    return decode(message)
  } catch {
    return undefined
  }
}

/**
 * Where a name is delegated to, as servers of the zone above it say: the only ones who know while the servers that
 * it is delegated to do not answer for it yet. Undefined when none of them answers.
 */
export async function readDelegation(
  name: string,
  servers: readonly string[],
  asking: Asking,
): Promise<readonly string[] | undefined> {
  for (const server of servers) {
    const packet = await ask(server, name, asking)
    if (packet?.flags === undefined || !ANSWERS.includes(packet.flags & 0xf)) continue
    return [...(packet.answers ?? []), ...(packet.authorities ?? [])].flatMap((record) =>
      record.type === 'NS' && sameName(record.name, name) ? [record.data] : [],
    )
  }
  return undefined
}
