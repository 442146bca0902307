import { randomUUID } from 'node:crypto'
import { AloftError } from '#contract/errors.ts'
import { HOUR } from '#contract/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Locks } from '../ports/locks.ts'
import type { Transact } from '../ports/transact.ts'
import { STORAGE_LOCK } from '../usage/content-room.ts'
import { quotaExceeded } from '../usage/quota-exceeded.ts'
import type { Quotas, UsageStores } from '../usage/quotas.ts'
import { copyOf, GitError, HELD } from './git-repositories.ts'
import type { Measure, RepositorySizeStore } from './repository-sizes.ts'

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

/** The same where git is to say so. */
export const gitRoom =
  (room: RepositoryRoom): RepositoryRoom =>
  (accountId) =>
    room(accountId).catch((error: unknown) => {
      throw error instanceof AloftError ? new GitError(error.message) : error
    })

/** Room for something that is being pushed, whose length nobody knows before all of it has come. */
export interface HeldRoom {
  /** Bytes that may come at most. */
  readonly most: number
  /** So many have come so far: rejects with `quota_exceeded` where there is no room for them. */
  came(bytes: number): Promise<void>
  /** Once all of it has come, or nothing more will: the repository is measured instead. What is released stays so. */
  release(): Promise<void>
}

export interface PushRoom {
  readonly left: RepositoryRoom
  /** Rejects with `quota_exceeded` where there is no room at all. */
  hold(accountId: string, projectId: string): Promise<HeldRoom>
  /** Where nothing was held. */
  readonly measure: Measure
}

interface PushRoomParts extends RoomParts {
  readonly measure: Measure
  readonly sizes: Pick<RepositorySizeStore, 'clear'>
  readonly transact: Transact<
    UsageStores & { readonly locks: Locks; readonly gitSizes: Pick<RepositorySizeStore, 'set' | 'used'> }
  >
}

/** Most pushes are smaller. */
const FIRST_HELD = 1024 * 1024
/** No push takes as long: what is still held then was left by a process that was killed. */
export const LONGEST_HELD = 2 * HOUR

/**
 * What is on its way counts as stored, for every process and machine, from the moment that there is room for it: the account
 * holds somewhat more than has come, and in the end what the repository has grown by.
 */
export function createPushRoom({ quotas, clock, measure, sizes, transact }: PushRoomParts): PushRoom {
  async function hold(accountId: string, projectId: string): Promise<HeldRoom> {
    const { contentBytes: limit } = await quotas.limitsById(accountId)
    let isReleased = false
    const releaseOnce = async (clear: () => Promise<void>): Promise<void> => {
      if (isReleased) return
      await measure(projectId)
      await clear()
      isReleased = true
    }
    if (limit === null)
      return {
        most: Number.POSITIVE_INFINITY,
        came: async () => {},
        release: () => releaseOnce(async () => {}),
      }
    const key = copyOf(projectId, `${HELD}${clock.now()}-${randomUUID()}`)
    let held = 0
    const take = async (needed: number): Promise<number> => {
      const { room, bytes } = await transact(async (stores) => {
        await stores.locks.take(STORAGE_LOCK, accountId)
        const used = (await quotas.used(accountId, 'contentBytes', stores)) - held
        if (used + needed > limit) throw quotaExceeded({ quota: 'contentBytes', limit, used }, clock.now())
        const room = limit - used
        const bytes = Math.min(room, Math.ceil(needed + Math.max(FIRST_HELD, needed / 4)))
        await stores.gitSizes.set(key, bytes)
        return { room, bytes }
      })
      held = bytes
      return room
    }
    return {
      most: await take(1),
      async came(bytes) {
        if (bytes > held && !isReleased) await take(bytes)
      },
      release: () => releaseOnce(() => sizes.clear(key)),
    }
  }

  return { left: createRepositoryRoom({ quotas, clock }), hold, measure }
}
