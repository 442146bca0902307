import { type Ask, answerTo, createAsk, type Topic } from '#adapters/ipc/ask.ts'
import type { Channel } from '#adapters/ipc/channel.ts'
import { SECOND } from '#contract/time.ts'
import { ALL_UNKNOWN, OWN_UNKNOWN } from './unknown-hub.ts'

/** Asked of a process: what it has counted. One that does not answer in time is left out. */
export const OWN_METRICS: Topic<unknown> = { name: 'metrics.own', timeout: SECOND }

/** Asked of the supervisor: what all processes have counted. */
export const ALL_METRICS: Topic<unknown[]> = { name: 'metrics.all', timeout: 2 * SECOND }

/** The supervisor's part: asks every process when one of them is asked. */
export function serveMetrics(channels: () => readonly Channel[]): { attach(channel: Channel): void } {
  const gathered = [gather(channels, OWN_METRICS, ALL_METRICS), gather(channels, OWN_UNKNOWN, ALL_UNKNOWN)]
  return {
    attach(channel) {
      for (const each of gathered) each.attach(channel)
    },
  }
}

function gather(
  channels: () => readonly Channel[],
  own: Topic<unknown>,
  all: Topic<unknown[]>,
): { attach(channel: Channel): void } {
  const asks = new WeakMap<Channel, Ask<unknown>>()
  const collect = async () => {
    const answers = await Promise.all(channels().map((channel) => asks.get(channel)?.()))
    return answers.filter((answer) => answer !== undefined)
  }
  return {
    attach(channel) {
      asks.set(channel, createAsk(channel, own))
      answerTo(channel, all, collect)
    },
  }
}
