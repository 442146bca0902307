import type { SharedCaches } from '#builder/environment/cache/project-caches.ts'
import { DAY } from '#contract/time.ts'
import type { Config } from '../../../config/config.ts'
import { hasOthers } from '../git/git.ts'
import type { Parts } from '../parts.ts'

const KIND = 'build-cache'
const ARCHIVE = 'cache.tar.zst'
const MAX_BYTES = 4 * 2 ** 30
/** What no build has left anew for so long is forgotten. */
const KEPT = 14 * DAY
const BATCH = 100

/** Caches of builds in the object store, where machines share one. */
export function openSharedCaches(
  config: Config,
  { stores, blobs, clock }: Pick<Parts, 'stores' | 'blobs' | 'clock'>,
): SharedCaches | undefined {
  if (!hasOthers(config)) return undefined
  const { sharedThings: things } = stores
  return {
    async take(key) {
      const content = (await things.find(KIND, key))?.contents.get(ARCHIVE)
      return content && blobs.open(content.sha256)
    },
    async give(key, archive) {
      const { sha256, size } = await blobs.put(archive, { maxBytes: MAX_BYTES })
      const thing = { details: '', contents: new Map([[ARCHIVE, { sha256, size }]]) }
      // Where another machine was faster, its cache is as good.
      await things.put(KIND, key, await things.version(KIND, key), thing, clock.now())
      for (const old of await things.unused(KIND, clock.now() - KEPT, BATCH)) await things.remove(KIND, old)
    },
  }
}
