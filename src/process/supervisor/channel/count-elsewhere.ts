import { type Channel, kindOf } from '#adapters/ipc/channel.ts'
import { onlyOnce } from '#core/only-once.ts'

const COUNT_ELSEWHERE = 'limit.elsewhere'

/**
 * Tells the supervisor that the working process answers requests too, so that the next one is ready for them when it starts.
 * A supervisor of the version before, which stays when its processes are replaced, counts them for both from then on.
 */
export const countElsewhere = (channel: Channel | undefined): (() => void) =>
  onlyOnce(() => channel?.send({ kind: COUNT_ELSEWHERE }))

export const isCountElsewhere = (message: unknown): boolean => kindOf(message) === COUNT_ELSEWHERE
