import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import type { Connections, Listener } from './schedule.ts'

/** As many as `dnsperf` is told to have. */
const SOCKETS = 4
const IDS = 0x1_0000
const TYPES: Readonly<Record<string, number>> = { A: 1, MX: 15, TXT: 16, AAAA: 28 }

export interface DnsAim {
  readonly port: number
  /** Each a name and a type. */
  readonly questions: readonly string[]
}

function packet(question: string): Buffer {
  const [name = '', type = ''] = question.split(' ')
  const labels = name.split('.').flatMap((label) => [label.length, ...Buffer.from(label)])
  const number = TYPES[type]
  if (number === undefined) throw new Error(`no number is known for ${type}`)
  return Buffer.from([0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, ...labels, 0, 0, number, 0, 1])
}

/** Over UDP, with as many questions under way as there are ids. */
export async function openDns(
  { port, questions }: DnsAim,
  { answered, turn }: Listener,
): Promise<Connections> {
  const packets = questions.map(packet)
  const underWay = Array.from({ length: SOCKETS }, () => new Int32Array(IDS).fill(-1))
  const sockets = await Promise.all(
    underWay.map(async (numbers) => {
      const socket = createSocket({ type: 'udp4', recvBufferSize: 1 << 22 })
      socket.on('message', (answer) => {
        const id = answer.readUInt16BE(0)
        const number = numbers[id] as number
        if (((answer[3] ?? 0) & 15) !== 0) throw new Error(`an answer has the code ${(answer[3] ?? 0) & 15}`)
        numbers[id] = -1
        if (number >= 0) answered(number)
        turn()
      })
      socket.connect(port, '127.0.0.1')
      await once(socket, 'connect')
      return socket
    }),
  )
  return {
    send(number) {
      const which = number % SOCKETS
      const id = Math.floor(number / SOCKETS) % IDS
      // A copy, as it is sent later where the kernel does not take it at once.
      const question = Buffer.from(packets[number % packets.length] as Buffer)
      question.writeUInt16BE(id, 0)
      ;(underWay[which] as Int32Array)[id] = number
      sockets[which]?.send(question)
      return true
    },
    flush() {},
    close() {
      for (const socket of sockets) socket.close()
    },
  }
}
