/** Waits until so many bytes more may be handled. */
export type Pace = (bytes: number) => Promise<void>

interface PaceOptions {
  readonly bytesPerSecond: number
  /** A moment's worth of bytes passes at once. */
  readonly momentMs: number
  readonly now: () => number
  readonly sleep: (ms: number) => Promise<void>
}

/** So many bytes a second, of all connections together, in the order in which they come. */
export function createPace({ bytesPerSecond, momentMs, now, sleep }: PaceOptions): Pace {
  let paidUntil = 0
  return async (bytes) => {
    const at = now()
    paidUntil = Math.max(paidUntil, at) + (bytes * 1000) / bytesPerSecond
    const ahead = paidUntil - at
    if (ahead > momentMs) await sleep(ahead - momentMs)
  }
}
