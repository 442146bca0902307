import type { AloftError } from '#contract/errors.ts'
import { SECOND } from '#contract/time.ts'
import { Counts } from '../counts.ts'
import type { Clock } from '../ports/clock.ts'
import { createTurns } from '../turns.ts'
import { quotaExceeded } from './quota-exceeded.ts'
import type { Account, Quotas } from './quotas.ts'

/** Whoever adds to the storage of an account takes this lock before it is added up, so that of two the second sees the first. */
export const STORAGE_LOCK = 'storage'

export interface Room {
  /** Bytes that may come at most. */
  readonly most: number
  /** What the account may hold; null without a limit. Whoever counts what came is to hold it to this. */
  readonly limit: number | null
  /** What to answer when more came. */
  readonly exceeded: () => AloftError
  /** Before so many bytes that came are stored: throws `quota_exceeded` where others have taken the room meanwhile. */
  confirm(bytes: number): Promise<void>
  /** Exactly once, when what came is counted or was thrown away. */
  release(): void
}

/**
 * Room for contents of an account, before they are there to be counted: many may be on their way at once. Each process knows
 * of those that come to itself. What came to others is found out when it is confirmed, and at the latest by the store,
 * in the transaction that counts it.
 */
export interface ContentRoom {
  /**
   * Throws `quota_exceeded` unless there is room. Of a length that nobody knows yet, as much as there is room for; a few of
   * these are let in at a time.
   */
  take(account: Account, bytes: number | undefined): Promise<Room>
}

interface RoomParts {
  readonly quotas: Pick<Quotas, 'limits' | 'used'>
  readonly clock: Clock
}

/** What came within this time is not looked at again: not much can have come to other processes meanwhile. */
const SOON = SECOND
/** Each of them may come to fill all the room that there is. */
const UNMEASURED_AT_ONCE = 4

export function createContentRoom({ quotas, clock }: RoomParts): ContentRoom {
  /** By account, what is on its way in this process. */
  const coming = new Counts()
  const unmeasured = createTurns(UNMEASURED_AT_ONCE)

  async function roomOf(id: string, limit: number, bytes: number | undefined, onRelease?: () => void) {
    let used = await quotas.used(id, 'contentBytes')
    const takenAt = clock.monotonic()
    const most = limit - used - coming.of(id)
    const exceeded = () => quotaExceeded({ quota: 'contentBytes', limit, used }, clock.now())
    if (bytes === undefined ? most <= 0 : bytes > most) throw exceeded()
    let taken = bytes ?? 0
    coming.add(id, taken)
    return {
      most: bytes ?? most,
      limit,
      exceeded,
      async confirm(came: number) {
        if (came <= taken && clock.monotonic() - takenAt < SOON) return
        used = await quotas.used(id, 'contentBytes')
        if (came > limit - used - coming.of(id) + taken) throw exceeded()
        coming.add(id, came - taken)
        taken = came
      },
      release() {
        coming.add(id, -taken)
        onRelease?.()
      },
    }
  }

  return {
    async take(account, bytes) {
      const { contentBytes: limit } = await quotas.limits(account)
      if (limit === null) return endless
      if (bytes !== undefined) return roomOf(account.id, limit, bytes)
      const endTurn = await unmeasured.take(account.id)
      try {
        return await roomOf(account.id, limit, undefined, endTurn)
      } catch (error) {
        endTurn()
        throw error
      }
    },
  }
}

const endless: Room = {
  most: Number.POSITIVE_INFINITY,
  limit: null,
  exceeded() {
    throw new Error('nothing can be more than what has no limit')
  },
  confirm: async () => {},
  release() {},
}
