import type { Window } from '#contract/limit/limits.ts'

// The longest a timer can wait: beyond it a window would end at once.
const LONGEST_MS = 2 ** 31 - 1

/** Keeps one `T` for each distinct window, made when the window is first used. */
export function createPerWindow<T>(make: (window: Window) => T): (window: Window) => T {
  const byPoints = new Map<number, Map<number, T>>()
  return (window) => {
    const kept = byPoints.get(window.points)?.get(window.ms)
    if (kept !== undefined) return kept
    checkWindow(window)
    const made = make(window)
    const byMs = byPoints.get(window.points) ?? new Map<number, T>()
    byPoints.set(window.points, byMs.set(window.ms, made))
    return made
  }
}

export function checkWindow({ points, ms }: Window): void {
  if (!Number.isSafeInteger(points) || points < 0)
    throw new RangeError(`A window cannot have ${points} points`)
  if (!Number.isSafeInteger(ms) || ms < 1 || ms > LONGEST_MS)
    throw new RangeError(`A window cannot last ${ms} ms`)
}
