import { randomInt } from 'node:crypto'
import type { Clock } from '../../ports/clock.ts'

const DIGITS = 11
/** Leaves more room to count up than one millisecond can use. */
const START = 9 * 10 ** (DIGITS - 1)

/** What an id is made of. */
interface LogIdParts {
  readonly takenAt: number
  readonly count: number
}

/** 24 digits: the millisecond, then the count in it. */
export const logId = (takenAt: number, count: number): string =>
  `${takenAt}${String(count).padStart(DIGITS, '0')}`

/**
 * Gives out what ids are made of, for one entry or for some that follow each other, now or at a time that is known. The count starts anywhere in each
 * millisecond and goes up in it, so ids sort by time, in one process also by the order they were given out in, and
 * those of two processes do not meet.
 */
export function createLogIds(clock: Clock): (entries?: number, now?: number) => LogIdParts {
  let ms = 0
  let next = 0
  return (entries = 1, now = clock.now()) => {
    if (now > ms) {
      ms = now
      next = randomInt(START)
    }
    const count = next
    next += entries
    return { takenAt: ms, count }
  }
}
