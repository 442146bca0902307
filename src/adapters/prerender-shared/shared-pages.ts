import { hash } from 'node:crypto'
import { DAY } from '#contract/time.ts'
import type { BlobStore } from '#core/ports/blob-store.ts'
import type { Clock } from '#core/ports/clock.ts'
import type { PrerenderEntry, PrerenderKey } from '#core/ports/prerender-cache.ts'
import { pagesOf, type SharedThingStore } from '#core/shared/shared-thing-store.ts'
import { readEntry, writeEntry } from '../prerender-fs/entry-file.ts'

const FILE = 'page'
/** What is made anew more often is made by each machine for itself: passing it on would be more work. */
const LEAST_SECONDS = 30
/** Of one page with its headers. What is larger is made by each machine for itself. */
const MAX_BYTES = 2 * 2 ** 20
/** What no machine has made anew for so long is forgotten. */
const KEPT = 30 * DAY
const BATCH = 100
/**
 * Of one deployment: visitors decide how many there are, and the oldest go. Looked at once in so many, with room for what
 * other machines give meanwhile.
 */
const MOST_PAGES = 2000
const LOOK_EVERY = 100
const MOST_KNOWN = 10_000

/** Pages that one machine has made and the others take up. */
export interface SharedPages {
  find(key: PrerenderKey): Promise<PrerenderEntry | undefined>
  /** What is not worth it is not shared. */
  give(key: PrerenderKey, entry: PrerenderEntry): Promise<void>
  forget(deploymentId: string): Promise<void>
}

interface SharedPagesParts {
  readonly things: SharedThingStore
  readonly blobs: Pick<BlobStore, 'read' | 'putBytes'>
  readonly clock: Clock
  /** Of one deployment. */
  readonly mostPages?: number
}

const nameOf = ({ path, query }: PrerenderKey): string => hash('sha256', `${path}\n${query}`)

const isWorthIt = ({ expiration }: PrerenderEntry): boolean =>
  expiration === false || expiration >= LEAST_SECONDS

export function createSharedPages({
  things,
  blobs,
  clock,
  mostPages = MOST_PAGES,
}: SharedPagesParts): SharedPages {
  const given = new Map<string, number>()

  async function removeOldest(deploymentId: string): Promise<void> {
    const count = given.get(deploymentId) ?? 0
    if (given.size >= MOST_KNOWN) given.clear()
    given.set(deploymentId, count + 1)
    if (count % LOOK_EVERY !== 0) return
    const kind = pagesOf(deploymentId)
    const names = await things.unused(kind, clock.now() + DAY, mostPages + 10 * LOOK_EVERY)
    for (const old of names.slice(0, Math.max(0, names.length - mostPages))) await things.remove(kind, old)
  }

  return {
    async find(key) {
      const content = (await things.find(pagesOf(key.deploymentId), nameOf(key)))?.contents.get(FILE)
      const bytes = content && (await blobs.read(content.sha256))
      return bytes && readEntry(bytes, key)
    },

    async give(key, entry) {
      if (!isWorthIt(entry)) return
      const bytes = writeEntry(key, entry)
      if (bytes.length > MAX_BYTES) return
      const { sha256, size } = await blobs.putBytes(bytes)
      const [kind, name] = [pagesOf(key.deploymentId), nameOf(key)]
      const thing = { details: '', contents: new Map([[FILE, { sha256, size }]]) }
      // Where another machine was faster, its page is as good; where the deployment was deleted, nobody wants one.
      await things.put(kind, name, await things.version(kind, name), thing, clock.now())
      for (const old of await things.unused(kind, clock.now() - KEPT, BATCH)) await things.remove(kind, old)
      await removeOldest(key.deploymentId)
    },

    forget: (deploymentId) => things.removeAll(pagesOf(deploymentId)),
  }
}
