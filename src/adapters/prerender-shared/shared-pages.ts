import { hash } from 'node:crypto'
import { DAY, HOUR } from '#contract/time.ts'
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

interface PageLimits {
  readonly count: number
  readonly bytes: number
}

/** Of one deployment: visitors decide how many there are, and its code how large they are. The oldest go. */
const MOST: PageLimits = { count: 2000, bytes: 32 * 2 ** 20 }
/** Looked at once in so many, or for such a part of the bytes, with room for what other machines give meanwhile. */
const LOOK_EVERY = 100
const LOOK_SHARE = 1 / 8
/**
 * What a process gives in an hour, of one deployment and of all: a page that is made anew leaves the one before for a day, until files
 * that nobody needs are collected. Beyond it each machine makes its own.
 */
const HOURLY = { deployment: 64 * 2 ** 20, all: 512 * 2 ** 20, deployments: 10_000 }
/** What a page takes besides, in the database and the object store. */
const LEAST_BYTES = 4096

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
  readonly most?: PageLimits
}

/** What was given of a deployment within the hour. */
interface GivenPages {
  bytes: number
  /** Since it was last looked at how many there are; undefined before the first look. */
  unseen: { count: number; bytes: number } | undefined
}

const nameOf = ({ path, query }: PrerenderKey): string => hash('sha256', `${path}\n${query}`)

const isWorthIt = ({ expiration }: PrerenderEntry): boolean =>
  expiration === false || expiration >= LEAST_SECONDS

export function createSharedPages({ things, blobs, clock, most = MOST }: SharedPagesParts): SharedPages {
  const given = new Map<string, GivenPages>()
  let hour = { began: clock.monotonic(), bytes: 0 }

  /** Counts it; false where it would be too much. */
  function mayGive(deploymentId: string, bytes: number): boolean {
    const now = clock.monotonic()
    if (now - hour.began >= HOUR) {
      hour = { began: now, bytes: 0 }
      given.clear()
    }
    const theirs = given.get(deploymentId) ?? { bytes: 0, unseen: undefined }
    if (hour.bytes + bytes > HOURLY.all || theirs.bytes + bytes > HOURLY.deployment) return false
    if (given.size >= HOURLY.deployments && !given.has(deploymentId)) return false
    given.set(deploymentId, theirs)
    theirs.bytes += bytes
    hour.bytes += bytes
    return true
  }

  async function removeOldest(deploymentId: string, added: number): Promise<void> {
    const theirs = given.get(deploymentId)
    const unseen = theirs?.unseen
    if (unseen) {
      unseen.count++
      unseen.bytes += added
    }
    if (unseen && unseen.count < LOOK_EVERY && unseen.bytes < most.bytes * LOOK_SHARE) return
    if (theirs) theirs.unseen = { count: 0, bytes: 0 }
    const kind = pagesOf(deploymentId)
    let left = most.bytes
    for (const [n, { name, bytes }] of (await things.newest(kind, most.count + 10 * LOOK_EVERY)).entries()) {
      left -= bytes
      if (left < 0 || n >= most.count) await things.remove(kind, name)
    }
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
      const weight = Math.max(bytes.length, LEAST_BYTES)
      if (bytes.length > MAX_BYTES || !mayGive(key.deploymentId, weight)) return
      const { sha256, size } = await blobs.putBytes(bytes)
      const [kind, name] = [pagesOf(key.deploymentId), nameOf(key)]
      const thing = { details: '', contents: new Map([[FILE, { sha256, size }]]) }
      // Where another machine was faster, its page is as good; where the deployment was deleted, nobody wants one.
      await things.put(kind, name, await things.version(kind, name), thing, clock.now())
      for (const old of await things.unused(kind, clock.now() - KEPT, BATCH)) await things.remove(kind, old)
      await removeOldest(key.deploymentId, weight)
    },

    forget: (deploymentId) => things.removeAll(pagesOf(deploymentId)),
  }
}
