import { join } from 'node:path'
import { createFsPrerenderCache } from '#adapters/prerender-fs/fs-prerender-cache.ts'
import { createSharedPrerenderCache } from '#adapters/prerender-shared/shared-prerender-cache.ts'
import type { PrerenderCache } from '#core/ports/prerender-cache.ts'
import type { Config } from '../../config/config.ts'
import type { Parts } from './parts.ts'

/** What answers that are kept for all visitors may take on the disk. */
const BUDGET = 1024 * 1024 * 1024

/** Shared by all processes of a machine; machines that share a database share what was revalidated. */
export function openPrerenders(
  { dataDir, databaseUrl }: Pick<Config, 'dataDir' | 'databaseUrl'>,
  { clock, log, stores }: Pick<Parts, 'clock' | 'log' | 'stores'>,
): PrerenderCache {
  const folder = join(dataDir, 'prerenders')
  const local = createFsPrerenderCache({ folder, budgetBytes: BUDGET, clock, log })
  return databaseUrl === undefined
    ? local
    : createSharedPrerenderCache(local, { store: stores.revalidations, log })
}
