import type { AloftError } from '#contract/errors.ts'
import type { Clock } from '../ports/clock.ts'
import { quotaExceeded } from './quota-exceeded.ts'
import type { Account, Quotas } from './quotas.ts'

export interface Room {
  /** Bytes that may come at most. */
  readonly most: number
  /** What to answer when more came. */
  readonly exceeded: () => AloftError
  /** Exactly once, when what came is counted or was thrown away. */
  release(): void
}

/** Room for contents of an account, before they are there to be counted: many may be on their way at once. */
export interface ContentRoom {
  /** Throws `quota_exceeded` unless there is room. Of a length that nobody knows yet, as much as there is room for. */
  take(account: Account, bytes: number | undefined): Promise<Room>
}

interface RoomParts {
  readonly quotas: Pick<Quotas, 'limits' | 'used'>
  readonly clock: Clock
}

export function createContentRoom({ quotas, clock }: RoomParts): ContentRoom {
  /** By account, what is on its way in this process. */
  const coming = new Map<string, number>()
  const count = (id: string, bytes: number) => {
    const left = (coming.get(id) ?? 0) + bytes
    if (left > 0) coming.set(id, left)
    else coming.delete(id)
  }

  return {
    async take(account, bytes) {
      const { id } = account
      const { contentBytes: limit } = await quotas.limits(account)
      if (limit === null)
        return { most: Number.POSITIVE_INFINITY, exceeded: () => notLimited(), release() {} }
      const used = await quotas.used(id, 'contentBytes')
      const most = limit - used - (coming.get(id) ?? 0)
      const exceeded = () => quotaExceeded({ quota: 'contentBytes', limit, used }, clock.now())
      if (bytes === undefined ? most <= 0 : bytes > most) throw exceeded()
      const taken = bytes ?? 0
      count(id, taken)
      return { most: bytes ?? most, exceeded, release: () => count(id, -taken) }
    },
  }
}

const notLimited = (): never => {
  throw new Error('nothing can be more than what has no limit')
}
