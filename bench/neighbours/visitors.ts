/**
 * A process of its own that visits sites at a steady pace, whether or not the answer before has come: what stands still is
 * felt by everybody who comes meanwhile. In the process that makes the load it would measure that load.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent } from 'node:http'
import { getPriority, setPriority } from 'node:os'
import { send } from '../send.ts'

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

export function comeVisiting(): Visitors {
  const child = fork(import.meta.filename)
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

async function visit({ aims, ms, paceMs }: Order): Promise<number[][]> {
  const agent = new Agent({ keepAlive: true })
  const waits: number[][] = aims.map(() => [])
  const underWay: Promise<void>[] = []
  const start = performance.now()
  for (let next = start; next < start + ms; next += paceMs) {
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, next - performance.now())))
    for (const [n, { url, host }] of aims.entries()) {
      const asked = performance.now()
      const answered = send({ url, headers: { host }, agent }).then(({ status, body }) => {
        if (status !== 200) throw new Error(`${host} answered ${status} ${body.slice(0, 300)}`)
        waits[n]?.push(performance.now() - asked)
      })
      answered.catch(() => {})
      underWay.push(answered)
    }
  }
  await Promise.all(underWay)
  agent.destroy()
  return waits
}

if (import.meta.main) {
  try {
    // Real visitors have machines of their own. Only root may say so.
    setPriority(Math.max(-20, getPriority() - 10))
  } catch {}
  process.on('message', (order: Order) =>
    visit(order).then(
      (waits) => process.send?.(waits),
      (error) => process.send?.(String(error)),
    ),
  )
}
