import { SECOND } from '#contract/time.ts'
import { type Ask, answerTo, createAsk, type Topic } from './ask.ts'
import type { Channel } from './channel.ts'

/** Asked of a process: what it has counted. One that does not answer in time is left out. */
export const OWN_METRICS: Topic<unknown> = { name: 'metrics.own', timeout: SECOND }

/** Asked of the supervisor: what all processes have counted. */
export const ALL_METRICS: Topic<unknown[]> = { name: 'metrics.all', timeout: 2 * SECOND }

/** The supervisor's part: asks every process when one of them is asked. */
export function serveMetrics(channels: () => readonly Channel[]): { attach(channel: Channel): void } {
  const asks = new WeakMap<Channel, Ask<unknown>>()
  const collect = async () => {
    const all = await Promise.all(channels().map((channel) => asks.get(channel)?.()))
    return all.filter((own) => own !== undefined)
  }
  return {
    attach(channel) {
      asks.set(channel, createAsk(channel, OWN_METRICS))
      answerTo(channel, ALL_METRICS, collect)
    },
  }
}
