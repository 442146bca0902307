import type { Index, PackLimits } from './job.ts'
import { type Place, statOf } from './place.ts'
import type { Results } from './results.ts'
import { Tree, type TreeOptions } from './tree.ts'

export interface Packing {
  readonly place: Place
  readonly results: Results
  readonly limits: PackLimits
}

export type Packed = Omit<Index, 'contents' | 'notes'>

export const NOTHING: Packed = { absent: true, files: [], functions: [], programs: [] }

/** What belongs to tools and to the owner alone, wherever it lies. */
const JUNK: ReadonlySet<string> = new Set(['.git', '.hg', '.svn', '.DS_Store', '.vercel', '.now'])

export const isJunk = (name: string): boolean => JUNK.has(name) || isSecret(name)

/** `.env` and its like hold secrets; the deployment's variables come another way. */
const isSecret = (name: string): boolean => name === '.env' || name.startsWith('.env.')

/**
 * What a package needs lies beside its package.json, or at the top. Elsewhere bundlers call folders of fonts and pictures
 * so, by where these came from.
 */
export const areDependencies = (name: string, folder: string, top: string): boolean =>
  name === 'node_modules' && (folder === top || statOf(`${folder}/package.json`) !== undefined)

export const programTree = ({ place, limits, results }: Packing, options: Partial<TreeOptions> = {}): Tree =>
  new Tree(place, {
    limits: { depth: limits.depth, files: limits.programFiles, bytes: limits.programBytes },
    keepLinks: true,
    outsideLinks: 'refuse',
    note: results.note,
    ...options,
  })
