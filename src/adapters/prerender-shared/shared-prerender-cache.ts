import type { Clock } from '#core/ports/clock.ts'
import type { Log } from '#core/ports/log.ts'
import type { PrerenderCache, PrerenderEntry, PrerenderKey } from '#core/ports/prerender-cache.ts'
import { RevalidatedTags } from '#core/site/revalidation.ts'
import type { RevalidationStore } from '#core/site/revalidation-store.ts'
import { LATE, withinTime } from '#core/within-time.ts'
import type { SharedPages } from './shared-pages.ts'

/** More tags of one deployment are put together into one that stands for all. */
const MOST_TAGS = 2000
/** How long a visitor waits for a page of another machine, before it is made here. */
const TIMEOUT_MS = 500

interface SharedPrerenderParts {
  readonly store: RevalidationStore
  readonly clock: Clock
  readonly log: Log
  /** Where machines share their contents. */
  readonly pages?: SharedPages | undefined
}

/**
 * Each machine keeps answers of its own, takes up those that another has made before, and knows what was revalidated on any:
 * none gives out what was said to be wrong on another.
 */
export function createSharedPrerenderCache(
  local: PrerenderCache,
  { store, clock, log, pages }: SharedPrerenderParts,
): PrerenderCache {
  /** What is old on purpose, because another page is new, was made at the beginning of time; no other is older. */
  const isOld = ({ generatedAt, expiration }: PrerenderEntry): boolean =>
    expiration !== false && generatedAt > 0 && clock.now() > generatedAt + expiration * 1000

  async function take(pages: SharedPages, key: PrerenderKey, own: PrerenderEntry | undefined) {
    const found = await withinTime(pages.find(key), TIMEOUT_MS).catch((error: unknown) => {
      log.debug({ err: error }, 'pages of other machines could not be read')
      return undefined
    })
    if (found === undefined || found === LATE || found.generatedAt <= (own?.generatedAt ?? 0)) return own
    await local.put(key, found)
    return found
  }

  return {
    async get(key) {
      const own = await local.get(key)
      return pages === undefined || (own !== undefined && !isOld(own)) ? own : take(pages, key, own)
    },

    async put(key, entry) {
      await local.put(key, entry)
      // Nobody waits for the others.
      pages
        ?.give(key, entry)
        .catch((error: unknown) => log.debug({ err: error }, 'a page could not be given to other machines'))
    },

    async revalidate(deploymentId, revalidation, tell) {
      let isShared = false
      // First for all machines: a process of this one that has just begun would otherwise know of it before the others.
      try {
        await store.add(deploymentId, revalidation)
        isShared = true
        // Not after the file of this machine: where the disk or the processors are busy, that takes long.
        tell?.()
      } finally {
        // While the database is away it counts on this machine at least.
        await local.revalidate(deploymentId, revalidation, isShared ? undefined : tell)
      }
    },

    async revalidations(deploymentId) {
      const shared = await store.of(deploymentId).catch((error: unknown) => {
        log.warn({ err: error, deploymentId }, 'what other machines have revalidated could not be read')
        return []
      })
      const tags = new RevalidatedTags()
      for (const revalidation of shared) tags.add(revalidation)
      if (shared.length > MOST_TAGS) await store.join(deploymentId, Math.max(...shared.map(({ at }) => at)))
      for (const revalidation of (await local.revalidations(deploymentId)).revalidations())
        tags.add(revalidation)
      return tags
    },

    async forget(deploymentId) {
      await local.forget(deploymentId)
      await store.forget(deploymentId)
      await pages?.forget(deploymentId)
    },
  }
}
