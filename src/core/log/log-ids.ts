import { randomInt } from 'node:crypto'
import type { Clock } from '../ports/clock.ts'

const DIGITS = 11
/** Leaves more room to count up than one millisecond can use. */
const START = 9 * 10 ** (DIGITS - 1)

export interface Taken {
  readonly id: string
  readonly takenAt: number
}

/**
 * Ids of 24 digits: the millisecond, then a number that starts anywhere in each millisecond and counts up
 * in it. So they sort by time, in one process also by the order they were given out in, and those of two
 * processes do not meet.
 */
export function createLogIds(clock: Clock): () => Taken {
  let ms = 0
  let count = 0
  return () => {
    const now = clock.now()
    if (now > ms) {
      ms = now
      count = randomInt(START)
    } else count++
    return { id: `${ms}${String(count).padStart(DIGITS, '0')}`, takenAt: ms }
  }
}
