import type { LogEntry } from '../log-entry.ts'
import type { LogPage, LogQuery, LogStore } from '../log-store.ts'

/** A search that finds little gives up after this many looks, each at a bounded number of entries. */
const LOOKS = 200

/** The part of a query that says where to look, and for how much. */
type PageOfLog = Pick<LogQuery, 'direction' | 'limit' | 'after' | 'before'>

/**
 * As many entries as the query wants, look by look, letting everybody else do something in between. `position` is how
 * far it came.
 */
export async function collectPage<Q extends PageOfLog>(
  read: (query: Q) => Promise<LogPage>,
  query: Q,
  looks: number = LOOKS,
): Promise<LogPage> {
  const entries: LogEntry[] = []
  let page: LogPage = { entries, complete: false }
  for (let look = 0; look < looks && entries.length < query.limit && !page.complete; look++) {
    if (look > 0) await new Promise(setImmediate)
    const from = fromHere(query, page.position)
    const { position = page.position, ...found } = await read({
      ...query,
      ...from,
      limit: query.limit - entries.length,
    })
    entries.push(...found.entries)
    page = { entries, complete: found.complete, ...(position === undefined ? {} : { position }) }
  }
  return page
}

const fromHere = (
  { direction }: PageOfLog,
  position: string | undefined,
): Pick<PageOfLog, 'after' | 'before'> => {
  if (position === undefined) return {}
  return direction === 'forward' ? { after: position } : { before: position }
}

export const collectEntries = async (
  store: Pick<LogStore, 'read'>,
  deploymentId: string,
  query: LogQuery,
): Promise<readonly LogEntry[]> =>
  (await collectPage((look) => store.read(deploymentId, look), query)).entries
