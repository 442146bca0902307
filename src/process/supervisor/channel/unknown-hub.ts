import { answerTo, createAsk, type Topic } from '#adapters/ipc/ask.ts'
import type { Channel } from '#adapters/ipc/channel.ts'
import { SECOND } from '#contract/time.ts'
import {
  addUp,
  createUnknownEndpoints,
  type UnknownEndpoint,
  type UnknownEndpoints,
} from '#core/operator/unknown-endpoints.ts'

export const OWN_UNKNOWN: Topic<readonly UnknownEndpoint[]> = { name: 'unknown.own', timeout: SECOND }
export const ALL_UNKNOWN: Topic<unknown[]> = { name: 'unknown.all', timeout: 2 * SECOND }

interface UnknownOfAll extends Pick<UnknownEndpoints, 'note'> {
  /** What the processes of this machine have seen since they were started. */
  read(): Promise<readonly UnknownEndpoint[]>
}

/** Counts in this process; answers for all of them with the supervisor's help. */
export function openUnknownEndpoints(channel: Channel | undefined, now: () => number): UnknownOfAll {
  const own = createUnknownEndpoints(now)
  if (channel) answerTo(channel, OWN_UNKNOWN, async () => own.list())
  const ask = channel && createAsk(channel, ALL_UNKNOWN)
  return {
    note: own.note,
    read: async () => addUp(((await ask?.()) as (readonly UnknownEndpoint[])[] | undefined) ?? [own.list()]),
  }
}
