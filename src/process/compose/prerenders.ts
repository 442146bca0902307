import { join } from 'node:path'
import { createFsPrerenderCache } from '#adapters/prerender-fs/fs-prerender-cache.ts'
import type { PrerenderCache } from '#core/ports/prerender-cache.ts'
import type { Config } from '../../config/config.ts'
import type { Parts } from './parts.ts'

/** What answers that are kept for all visitors may take on the disk. */
const BUDGET = 1024 * 1024 * 1024

/** Shared by all processes of a machine. */
export const openPrerenders = (
  { dataDir }: Pick<Config, 'dataDir'>,
  { clock, log }: Pick<Parts, 'clock' | 'log'>,
): PrerenderCache =>
  createFsPrerenderCache({ folder: join(dataDir, 'prerenders'), budgetBytes: BUDGET, clock, log })
