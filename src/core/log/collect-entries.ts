import type { LogEntry } from './log-entry.ts'
import type { LogFilter, LogQuery, LogStore } from './log-store.ts'

/** A search that finds little gives up after this many looks, each at a bounded number of entries. */
const LOOKS = 200

/** As many entries as the query wants, look by look, letting everybody else do something in between. */
export async function collectEntries(
  store: Pick<LogStore, 'read'>,
  deploymentId: string,
  query: LogQuery,
): Promise<LogEntry[]> {
  const found: LogEntry[] = []
  let from: LogFilter = {}
  for (let looks = 0; looks < LOOKS && found.length < query.limit; looks++) {
    if (looks > 0) await new Promise(setImmediate)
    const limit = query.limit - found.length
    const { entries, position, complete } = await store.read(deploymentId, { ...query, ...from, limit })
    found.push(...entries)
    if (complete) break
    from = query.direction === 'forward' ? { after: position } : { before: position }
  }
  return found
}
