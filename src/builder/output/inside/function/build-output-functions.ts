import { readdirSync } from 'node:fs'
import { PackFault } from '../fault.ts'
import type { Packing } from '../packing.ts'
import { locate, show, statOf } from '../place.ts'

interface FoundFunction {
  readonly path: string
  /** The real path of its folder; several functions may share one. */
  readonly folder: string
  /** Relative to the folder of functions. */
  readonly prerender?: string
}

const FOLDER = '.func'
const PRERENDER = '.prerender-config.json'

/** The functions below a folder, in the order of their paths. */
export function findFunctions({ place, limits, results }: Packing, root: string): FoundFunction[] {
  const folders = new Map<string, string>()
  const prerenders = new Map<string, string>()
  const walk = (way: string, depth: number): void => {
    if (depth > limits.depth) throw new PackFault('too_deep', `The folder ${show(way)} is too deep`)
    for (const name of readdirSync(`${root}/${way}`)) {
      const path = way === '' ? name : `${way}/${name}`
      if (name.endsWith(PRERENDER)) prerenders.set(path.slice(0, -PRERENDER.length), path)
      else if (name.endsWith(FOLDER) && name !== FOLDER) {
        const real = locate(place, root, path)
        if (real !== undefined && statOf(real)?.isDirectory())
          folders.set(path.slice(0, -FOLDER.length), real)
        else results.note(`The function ${show(path)} is not a folder and was skipped`)
        if (folders.size > limits.functions)
          throw new PackFault('too_many_functions', `There are more than ${limits.functions} functions`)
      } else if (statOf(`${root}/${path}`)?.isDirectory()) walk(path, depth + 1)
    }
  }
  walk('', 0)
  return [...folders]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, folder]) => {
      const prerender = prerenders.get(path)
      return { path, folder, ...(prerender === undefined ? {} : { prerender }) }
    })
}
