/** Waits until so many bytes more may be handled for somebody; undefined where that is at once. */
export type RateLimit = (key: string, bytes: number) => Promise<void> | undefined

interface RateLimitOptions {
  readonly bytesPerSecond: number
  /** A moment's worth of bytes passes at once. */
  readonly momentMs: number
  readonly now: () => number
  readonly sleep: (ms: number) => Promise<void>
}

interface WaitingChunk {
  readonly bytes: number
  readonly pass: () => void
}

/** So many bytes a second, of all connections together. Those who wait take turns by key, however much each of them brings. */
export function createRateLimit({ bytesPerSecond, momentMs, now, sleep }: RateLimitOptions): RateLimit {
  /** In the order of their turns. */
  const waiting = new Map<string, WaitingChunk[]>()
  let paidUntil = 0
  const pay = (bytes: number) => {
    paidUntil = Math.max(paidUntil, now()) + (bytes * 1000) / bytesPerSecond
  }
  const tooEarlyBy = () => paidUntil - now() - momentMs

  async function letPass(): Promise<void> {
    while (waiting.size > 0) {
      const early = tooEarlyBy()
      if (early > 0) await sleep(early)
      for (const [key, theirs] of waiting) {
        const next = theirs.shift()
        waiting.delete(key)
        if (theirs.length > 0) waiting.set(key, theirs)
        pay(next?.bytes ?? 0)
        next?.pass()
        break
      }
    }
  }

  return (key, bytes) => {
    if (waiting.size === 0 && tooEarlyBy() <= 0) {
      pay(bytes)
      return undefined
    }
    const { promise, resolve } = Promise.withResolvers<void>()
    const theirs = waiting.get(key)
    if (theirs !== undefined) theirs.push({ bytes, pass: resolve })
    else {
      waiting.set(key, [{ bytes, pass: resolve }])
      if (waiting.size === 1) void letPass()
    }
    return promise
  }
}
