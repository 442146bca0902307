import type { SharedCaches } from '#builder/environment/cache/project-caches.ts'
import { DAY } from '#contract/time.ts'
import type { Quotas } from '#core/usage/quotas.ts'
import type { Config } from '../../../config/config.ts'
import { hasOthers } from '../git/git.ts'
import type { Parts } from '../parts.ts'

const KIND = 'build-cache'
const ARCHIVE = 'cache.tar.zst'
const MAX_BYTES = 4 * 2 ** 30
/** Of an account, where its plan has no limit of storage. */
const MOST_BYTES = 64 * 2 ** 30
/** What no build has left anew for so long is forgotten. */
const KEPT = 14 * DAY
const BATCH = 100

const nameOf = (ownerId: string, key: string): string => `${ownerId} ${key}`

interface CacheParts extends Pick<Parts, 'blobs' | 'clock'> {
  readonly stores: Pick<Parts['stores'], 'sharedThings'>
  readonly quotas: Pick<Quotas, 'limitsById'>
}

/**
 * Caches of builds in the object store, where machines share one. Together those of an account take no more than it may store: it has
 * one for each branch that strangers ask it to pull from.
 */
export function openSharedCaches(
  config: Pick<Config, 'databaseUrl' | 'blobUrl'>,
  { stores, blobs, quotas, clock }: CacheParts,
): SharedCaches | undefined {
  if (!hasOthers(config)) return undefined
  const { sharedThings: things } = stores
  return {
    async take(ownerId, key) {
      const content = (await things.find(KIND, nameOf(ownerId, key)))?.contents.get(ARCHIVE)
      return content && blobs.open(content.sha256)
    },
    async give(ownerId, key, archive) {
      const most = (await quotas.limitsById(ownerId)).contentBytes ?? MOST_BYTES
      const { sha256, size } = await blobs.put(archive, { maxBytes: Math.min(MAX_BYTES, most) })
      const name = nameOf(ownerId, key)
      const thing = { details: '', contents: new Map([[ARCHIVE, { sha256, size }]]) }
      // Where another machine was faster, its cache is as good.
      await things.put(KIND, name, await things.version(KIND, name), thing, clock.now())
      let total = 0
      for (const kept of await things.under(KIND, nameOf(ownerId, ''))) {
        total += kept.bytes
        if (total > most) await things.remove(KIND, kept.name)
      }
      for (const old of await things.unused(KIND, clock.now() - KEPT, BATCH)) await things.remove(KIND, old)
    },
  }
}
