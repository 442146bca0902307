import type { Installation } from '../installation/installation.ts'
import type { Drain } from './drain.ts'
import { type DrainItem, type Scheme, toItem } from './drain-item.ts'
import type { Gap } from './drain-store.ts'
import { formatItem, joinItems } from './format-batch.ts'
import { isForDrain } from './is-for-drain.ts'
import type { LogFeed } from './log-feed.ts'
import type { FindLogged } from './logged-deployments.ts'

const BATCH_ITEMS = 500
/** Of text: receivers have limits as well. */
const BATCH_CHARACTERS = 1024 * 1024
/** A search for entries that are wanted lets others have their turn after this many pages. */
const PAGES = 20

interface BatchRequest {
  readonly drain: Drain
  readonly installation: Installation | undefined
  readonly position: string
  /** Entries up to here alone, when a batch is made again. */
  readonly upTo: string | undefined
  readonly gap: Gap | null
}

export interface Batch {
  readonly body: string
  /** How many entries are in it. */
  readonly count: number
  /** All entries up to here are in it, or not wanted. */
  readonly position: string
  /** The times of the entries in it. */
  readonly times: Gap | undefined
  /** There was nothing more to look at. */
  readonly complete: boolean
}

interface GatherParts {
  readonly feed: LogFeed
  readonly find: FindLogged
  readonly scheme: Scheme
}

/** The next entries that a drain is sent, as many as one request carries. */
export async function gatherBatch(parts: GatherParts, request: BatchRequest): Promise<Batch> {
  const { feed, find, scheme } = parts
  const { drain, installation, gap } = request
  const upTo = request.upTo === undefined ? undefined : BigInt(request.upTo)
  const items: string[] = []
  let { position } = request
  let size = 0
  let times: Gap | undefined
  const ended = (complete: boolean): Batch => {
    const withNotice = gap && times ? [formatItem(drain.format, noticeOf(gap, drain)), ...items] : items
    return { body: joinItems(drain.format, withNotice), count: items.length, position, times, complete }
  }
  for (let pages = 0; pages < PAGES; pages++) {
    const entries = await feed.after(position)
    if (entries.length === 0) return ended(true)
    for (const entry of entries) {
      if (upTo !== undefined && BigInt(entry.serial) > upTo) return ended(false)
      const known = find(entry.deploymentId)
      const deployment = known instanceof Promise ? await known : known
      if (deployment && isForDrain(drain, installation, entry, deployment)) {
        const text = formatItem(drain.format, toItem(entry, deployment, scheme))
        if (items.length > 0 && size + text.length > BATCH_CHARACTERS) return ended(false)
        items.push(text)
        size += text.length
        times = { from: times?.from ?? entry.at, to: entry.at }
      }
      position = entry.serial
      if (items.length >= BATCH_ITEMS) return ended(false)
    }
    await new Promise(setImmediate)
  }
  return ended(false)
}

/** Tells the receiver what it will never get. */
const noticeOf = ({ from, to }: Gap, drain: Drain): DrainItem => ({
  id: `gap_${from}_${to}`,
  deploymentId: '',
  projectId: '',
  source: 'external',
  host: 'aloft',
  timestamp: to,
  level: 'warning',
  message: `Entries between ${new Date(from).toISOString()} and ${new Date(to).toISOString()} could not be delivered to the log drain ${drain.id} and were skipped.`,
  type: 'stderr',
  environment: 'production',
})
