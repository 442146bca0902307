import { join } from 'node:path'
import { createFsPrerenderCache } from '#adapters/prerender-fs/fs-prerender-cache.ts'
import { createSharedPages } from '#adapters/prerender-shared/shared-pages.ts'
import { createSharedPrerenderCache } from '#adapters/prerender-shared/shared-prerender-cache.ts'
import type { PrerenderCache } from '#core/ports/prerender-cache.ts'
import type { Config } from '../../../config/config.ts'
import { hasOthers } from '../git/git.ts'
import type { Parts } from '../parts.ts'

/** What answers that are kept for all visitors may take on the disk. */
const BUDGET = 1024 * 1024 * 1024

/**
 * Shared by all processes of a machine. Machines that share a database share what was revalidated, and the pages themselves
 * where they share contents as well.
 */
export function openPrerenders(
  config: Pick<Config, 'dataDir' | 'databaseUrl' | 'blobUrl'>,
  { blobs, clock, log, stores }: Pick<Parts, 'blobs' | 'clock' | 'log' | 'stores'>,
): PrerenderCache {
  const folder = join(config.dataDir, 'prerenders')
  const local = createFsPrerenderCache({ folder, budgetBytes: BUDGET, clock, log })
  if (config.databaseUrl === undefined) return local
  const pages = hasOthers(config)
    ? createSharedPages({ things: stores.sharedThings, blobs, clock })
    : undefined
  return createSharedPrerenderCache(local, { store: stores.revalidations, clock, log, pages })
}
