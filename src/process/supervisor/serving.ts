import { availableParallelism } from 'node:os'
import type { Config } from '../../config/config.ts'

/** How many serving processes this machine has at least, and at most. */
export interface ServingRange {
  readonly least: number
  readonly most: number
}

/** Only Linux spreads connections over several on one port. */
export function servingRange({ workers }: Pick<Config, 'workers'>): ServingRange {
  if (process.platform !== 'linux') return { least: 1, most: 1 }
  return { least: workers ?? 1, most: workers ?? availableParallelism() }
}
