import type { Clock } from '#core/ports/clock.ts'
import { systemClock } from '#core/ports/system-clock.ts'

export interface TestClock extends Clock {
  /** Time passes. */
  advance(ms: number): void
  /** Somebody sets the clock of the machine, forwards or back; no time passes. */
  jump(ms: number): void
}

/** Real time until a test moves it. */
export function createTestClock(): TestClock {
  let ahead = 0
  let jumped = 0
  return {
    now: () => systemClock.now() + ahead + jumped,
    monotonic: () => systemClock.monotonic() + ahead,
    advance(ms) {
      ahead += ms
    },
    jump(ms) {
      jumped += ms
    },
  }
}

/** A clock that shows what it is told, and never jumps. */
export const clockOf = (now: () => number): Clock => ({ now, monotonic: now })
