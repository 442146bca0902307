import { type Channel, kindOf } from './channel.ts'

const COUNT_ELSEWHERE = 'limit.elsewhere'

/**
 * A process that serves alone counts requests against their limits itself. Once another answers some of them, the
 * supervisor has to count for both.
 */
export function countElsewhere(channel: Channel | undefined): () => void {
  let isTold = false
  return () => {
    if (!isTold) channel?.send({ kind: COUNT_ELSEWHERE })
    isTold = true
  }
}

export const isCountElsewhere = (message: unknown): boolean => kindOf(message) === COUNT_ELSEWHERE
