import { MINUTE } from '#contract/time.ts'
import type { Clock } from '#core/ports/clock.ts'
import type { Log } from '#core/ports/log.ts'

export interface Members {
  /** Whether a user may visit what an account owns; as it was a minute ago at most. */
  may(userId: string, ownerId: string): boolean | Promise<boolean>
  /** The same, as it is now. */
  mayNow(userId: string, ownerId: string): Promise<boolean>
}

interface MembersOptions {
  readonly mayVisit: (userId: string, ownerId: string) => Promise<boolean>
  readonly clock: Clock
  readonly log: Log
}

const KEPT_MS = MINUTE
const MAX_KNOWN = 10_000

interface CachedMember {
  readonly may: boolean
  readonly until: number
}

/** Remembers for a while who may visit, because members come back with every request. */
export function createMembers({ mayVisit, clock, log }: MembersOptions): Members {
  const known = new Map<string, CachedMember>()
  const asked = new Map<string, Promise<boolean>>()

  function ask(userId: string, ownerId: string): Promise<boolean> {
    const key = `${userId} ${ownerId}`
    const before = known.get(key)
    const answer = mayVisit(userId, ownerId)
      .catch((error: unknown) => {
        // Who cannot be looked up cannot have been taken off the list either.
        if (before?.may !== true) throw error
        log.warn({ err: error }, 'access could not be checked; members keep their access')
        return true
      })
      .then((may) => {
        if (known.size >= MAX_KNOWN) known.clear()
        known.set(key, { may, until: clock.monotonic() + KEPT_MS })
        return may
      })
      .finally(() => {
        if (asked.get(key) === answer) asked.delete(key)
      })
    asked.set(key, answer)
    return answer
  }

  return {
    may(userId, ownerId) {
      const key = `${userId} ${ownerId}`
      const before = known.get(key)
      if (before !== undefined && clock.monotonic() < before.until) return before.may
      return asked.get(key) ?? ask(userId, ownerId)
    },
    mayNow: ask,
  }
}
