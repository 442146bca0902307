import type { Clock } from '#core/ports/clock.ts'

export interface TestClock extends Clock {
  advance(ms: number): void
}

/** Real time until a test moves it. */
export function createTestClock(): TestClock {
  let ahead = 0
  return {
    now: () => Date.now() + ahead,
    advance(ms) {
      ahead += ms
    },
  }
}
