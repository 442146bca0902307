import type { LogEntry } from '../log/log-entry.ts'
import type { LogStore } from '../log/log-store.ts'

/** The log of all deployments, read once for however many drains there are. */
export interface LogFeed {
  /** The next entries after this serial; none at the end. */
  after(serial: string): Promise<readonly LogEntry[]>
}

const PAGE = 250
/** Entries that are kept for those who come a little later. */
const KEPT = 2000

interface BufferedEntry {
  readonly serial: bigint
  readonly entry: LogEntry
}

/**
 * Keeps the newest entries in memory: drains that keep up with the log read them there, those that are behind
 * read the store by themselves.
 */
export function createLogFeed(store: Pick<LogStore, 'after'>): LogFeed {
  /** Everything there is after `start` up to `end`. */
  let kept: BufferedEntry[] = []
  let start = 0n
  let end = -1n
  let reading: Promise<readonly LogEntry[]> | undefined

  async function readOn(): Promise<readonly LogEntry[]> {
    const entries = await store.after(String(end), PAGE)
    for (const entry of entries) kept.push({ serial: BigInt(entry.serial), entry })
    end = kept.at(-1)?.serial ?? end
    if (kept.length > KEPT) {
      const gone = kept.splice(0, kept.length - KEPT)
      start = gone.at(-1)?.serial ?? start
    }
    return entries
  }

  return {
    async after(serial) {
      const from = BigInt(serial)
      // Whoever reads on reads for all that wait at the end.
      while (reading && from >= end) await reading.catch(() => undefined)
      if (from < start) return store.after(serial, PAGE)
      if (from < end) {
        const first = firstAfter(kept, from)
        return kept.slice(first, first + PAGE).map(({ entry }) => entry)
      }
      if (from > end) {
        kept = []
        start = from
        end = from
      }
      reading = readOn().finally(() => {
        reading = undefined
      })
      return reading
    },
  }
}

function firstAfter(kept: readonly BufferedEntry[], serial: bigint): number {
  let [low, high] = [0, kept.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((kept[middle] as BufferedEntry).serial > serial) high = middle
    else low = middle + 1
  }
  return low
}
