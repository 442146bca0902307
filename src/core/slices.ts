import { setImmediate } from 'node:timers/promises'

/** Milliseconds of work after which others have their turn. */
const SLICE = 5
const LOOK_EVERY = 32

/**
 * Visits every item without keeping the process to itself: between slices of a few milliseconds whatever else is
 * waiting is served. For loops whose length a client chooses.
 */
export async function inSlices<T>(items: Iterable<T>, visit: (item: T) => void): Promise<void> {
  let until = performance.now() + SLICE
  let count = 0
  for (const item of items) {
    visit(item)
    if (++count % LOOK_EVERY !== 0 || performance.now() < until) continue
    await setImmediate()
    until = performance.now() + SLICE
  }
}
