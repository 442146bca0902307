import { SECOND } from '#contract/time.ts'
import { type Channel, kindOf } from './channel.ts'

export const ASK = 'metrics.ask'
export const ANSWER = 'metrics.answer'
export const COLLECT = 'metrics.collect'
export const COLLECTED = 'metrics.collected'

/** A process that does not answer in this time is left out. */
const PATIENCE = SECOND

/** The supervisor's part: asks every process when one of them is asked. */
export function serveMetrics(channels: () => readonly Channel[]): { attach(channel: Channel): void } {
  const rounds = new Map<number, (own: unknown) => void>()
  let round = 0

  function collect(): Promise<unknown[]> {
    const asked = channels()
    const id = round++
    const all: unknown[] = []
    const { promise, resolve } = Promise.withResolvers<unknown[]>()
    const finish = () => {
      rounds.delete(id)
      clearTimeout(timer)
      resolve(all)
    }
    const timer = setTimeout(finish, PATIENCE)
    rounds.set(id, (own) => {
      all.push(own)
      if (all.length === asked.length) finish()
    })
    for (const channel of asked) channel.send({ kind: COLLECT, id })
    return promise
  }

  return {
    attach(channel) {
      channel.onMessage((message) => {
        const { id, own } = message as { id: number; own: unknown }
        if (kindOf(message) === COLLECTED) rounds.get(id)?.(own)
        if (kindOf(message) === ASK) void collect().then((all) => channel.send({ kind: ANSWER, id, all }))
      })
    },
  }
}
