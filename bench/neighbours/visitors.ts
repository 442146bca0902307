/**
 * A process of its own that visits sites at a steady pace, whether or not the answer before has come: what stands still is
 * felt by everybody who comes meanwhile. In the process that makes the load it would measure that load.
 *
 * Real visitors have machines of their own. So it goes before everything else where it may, in rounds with a storm and in those
 * without, and does as little as it can: on the same cores, the time that a client of HTTP takes would count as the platform's.
 */
import { fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { getPriority, setPriority } from 'node:os'
import { isTrial } from '../measure/trial.ts'

export interface Aim {
  readonly url: string
  readonly host: string
}

interface Order {
  readonly aims: readonly Aim[]
  readonly ms: number
  readonly paceMs: number
}

export interface Visitors {
  /** Milliseconds of every visit, of each aim. */
  visit(order: Order): Promise<number[][]>
  leave(): void
}

/** Before everything that has no real-time priority. */
const FIRST = ['-f', '1']

/** Only root may say so, and not everywhere. */
const mayBeFirst = (): boolean =>
  !isTrial && spawnSync('chrt', [...FIRST, 'true'], { stdio: 'ignore' }).status === 0

export function comeVisiting(): Visitors {
  const child = fork(
    import.meta.filename,
    mayBeFirst() ? { execPath: 'chrt', execArgv: [...FIRST, process.execPath] } : {},
  )
  return {
    async visit(order) {
      child.send(order)
      const [answer] = await once(child, 'message')
      if (typeof answer === 'string') throw new Error(answer)
      return answer
    },
    leave: () => void child.kill(),
  }
}

/** Of one site, by connections that are used again. */
interface Way {
  /** Resolves with the time at which the whole answer was here. */
  visit(): Promise<number>
  close(): void
}

const HEAD_END = '\r\n\r\n'

/** Whether all of an answer has come. Throws if it is not one that a visitor wants. */
function isWhole(answer: string, host: string): boolean {
  const end = answer.indexOf(HEAD_END)
  if (end < 0) return false
  const head = answer.slice(0, end)
  const length = /^content-length: *(\d+)/im.exec(head)?.[1]
  const body = end + HEAD_END.length
  const isEnded =
    length === undefined ? answer.endsWith(`\r\n0${HEAD_END}`) : answer.length >= body + Number(length)
  if (isEnded && !head.startsWith('HTTP/1.1 200 '))
    throw new Error(`${host} answered ${answer.slice(0, 300)}`)
  return isEnded
}

function wayTo({ url, host }: Aim): Way {
  const { hostname, port, pathname } = new URL(url)
  const question = `GET ${pathname} HTTP/1.1\r\nhost: ${host}${HEAD_END}`
  const idle: Socket[] = []
  const all = new Set<Socket>()
  function open(): Socket {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true }).setEncoding('latin1')
    all.add(socket)
    return socket.once('close', () => {
      all.delete(socket)
      const at = idle.indexOf(socket)
      if (at >= 0) idle.splice(at, 1)
    })
  }
  return {
    visit: () =>
      new Promise((resolve, reject) => {
        const socket = idle.pop() ?? open()
        let answer = ''
        const leave = () => socket.off('data', onData).off('error', reject).off('close', onClose)
        const onClose = () => reject(new Error(`${host} closed the connection`))
        const onData = (text: string) => {
          const now = performance.now()
          answer += text
          try {
            if (!isWhole(answer, host)) return
            leave()
            idle.push(socket)
            resolve(now)
          } catch (error) {
            reject(error)
          }
        }
        socket.on('data', onData).once('error', reject).once('close', onClose)
        socket.write(question)
      }),
    close() {
      for (const socket of all) socket.destroy()
    },
  }
}

async function visit({ aims, ms, paceMs }: Order): Promise<number[][]> {
  const ways = aims.map(wayTo)
  const waits: number[][] = aims.map(() => [])
  const underWay: Promise<void>[] = []
  const start = performance.now()
  for (let next = start; next < start + ms; next += paceMs) {
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, next - performance.now())))
    for (const [n, way] of ways.entries()) {
      const asked = performance.now()
      const answered = way.visit().then((at) => void waits[n]?.push(at - asked))
      answered.catch(() => {})
      underWay.push(answered)
    }
  }
  try {
    await Promise.all(underWay)
  } finally {
    for (const way of ways) way.close()
  }
  return waits
}

if (import.meta.main) {
  try {
    // Where it may not be first, it goes before most.
    setPriority(Math.max(-20, getPriority() - 10))
  } catch {}
  process.on('message', (order: Order) =>
    visit(order).then(
      (waits) => process.send?.(waits),
      (error) => process.send?.(String(error)),
    ),
  )
}
