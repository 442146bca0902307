import type { Log } from '#core/ports/log.ts'
import type { PrerenderCache } from '#core/ports/prerender-cache.ts'
import { RevalidatedTags } from '#core/site/revalidation.ts'
import type { RevalidationStore } from '#core/site/revalidation-store.ts'

/** More tags of one deployment are put together into one that stands for all. */
const MOST_TAGS = 2000

/**
 * Each machine keeps answers of its own, and all of them know what was revalidated on any: none gives out what was said to
 * be wrong on another.
 */
export function createSharedPrerenderCache(
  local: PrerenderCache,
  { store, log }: { readonly store: RevalidationStore; readonly log: Log },
): PrerenderCache {
  return {
    get: (key) => local.get(key),
    put: (key, entry) => local.put(key, entry),

    async revalidate(deploymentId, revalidation) {
      // While the database is away it counts on this machine at least.
      await local.revalidate(deploymentId, revalidation)
      await store.add(deploymentId, revalidation)
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
    },
  }
}
