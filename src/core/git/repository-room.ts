import type { Clock } from '../ports/clock.ts'
import { quotaExceeded } from '../usage/quota-exceeded.ts'
import type { Quotas } from '../usage/quotas.ts'
import type { GitRepositories } from './git-repositories.ts'

/** How many bytes of repositories an account may still add; rejects with `quota_exceeded` where there is no room at all. */
export type RepositoryRoom = (accountId: string) => Promise<number>

interface RoomParts {
  readonly quotas: Pick<Quotas, 'limitsById' | 'used'>
  readonly repositories: Pick<GitRepositories, 'bytes'>
  readonly projectsOf: (accountId: string) => Promise<readonly string[]>
  readonly clock: Clock
}

/**
 * Repositories share the room of an account with its files. They are measured when something is pushed or fetched: what
 * is deleted or packed anew takes less without anybody counting.
 */
export const createRepositoryRoom =
  ({ quotas, repositories, projectsOf, clock }: RoomParts): RepositoryRoom =>
  async (accountId) => {
    const { contentBytes: limit } = await quotas.limitsById(accountId)
    if (limit === null) return Number.POSITIVE_INFINITY
    let used = await quotas.used(accountId, 'contentBytes')
    for (const id of await projectsOf(accountId)) used += await repositories.bytes(id)
    if (used >= limit)
      throw quotaExceeded(
        { quota: 'contentBytes', limit, used },
        clock.now(),
        'Repositories count as well: delete projects that you no longer need.',
      )
    return limit - used
  }
