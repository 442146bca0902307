import type { Clock } from '../ports/clock.ts'
import { quotaExceeded } from '../usage/quota-exceeded.ts'
import type { Quotas } from '../usage/quotas.ts'

/** How many bytes of repositories an account may still add; rejects with `quota_exceeded` where there is no room at all. */
export type RepositoryRoom = (accountId: string) => Promise<number>

interface RoomParts {
  readonly quotas: Pick<Quotas, 'limitsById' | 'used'>
  readonly clock: Clock
}

/** Repositories share the room of an account with its files. */
export const createRepositoryRoom =
  ({ quotas, clock }: RoomParts): RepositoryRoom =>
  async (accountId) => {
    const { contentBytes: limit } = await quotas.limitsById(accountId)
    if (limit === null) return Number.POSITIVE_INFINITY
    const used = await quotas.used(accountId, 'contentBytes')
    if (used >= limit) throw quotaExceeded({ quota: 'contentBytes', limit, used }, clock.now())
    return limit - used
  }
