import { PackFault } from './fault.ts'
import { matcherOf } from './globs.ts'
import type { IndexFile, StaticTask } from './job.ts'
import { areDependencies, isJunk, NOTHING, type Packed, type Packing } from './packing.ts'
import { locate, show, statOf } from './place.ts'
import { type Skip, Tree } from './tree.ts'

/** A folder whose files are served as they are. */
export function packStatic(packing: Packing, task: StaticTask): Packed {
  const { place } = packing
  const isExcluded = matcherOf(task.exclude)
  const skip: Skip = (path, name, folder) =>
    isJunk(name) || isExcluded(path) || areDependencies(name, folder, place.workspace)
  for (const named of task.folders) {
    const folder = locate(place, place.workspace, named)
    if (folder === undefined || !statOf(folder)?.isDirectory()) continue
    const files = addFiles(packing, folder, task.prefix, skip)
    if (files.length === 0) continue
    if (task.folders.length > 1) packing.results.note(`The files in ${show(named)} are served`)
    return { files, functions: [], programs: [] }
  }
  if (task.optional) return NOTHING
  const names = task.folders.map(show).join(', ')
  throw new PackFault('missing_output', `There are no files in ${names} after the build`)
}

export function addFiles(packing: Packing, folder: string, prefix: string, skip?: Skip): IndexFile[] {
  const { place, limits, results } = packing
  const tree = new Tree(place, {
    limits: { depth: limits.depth, files: limits.files, bytes: limits.totalBytes },
    keepLinks: false,
    outsideLinks: 'refuse',
    note: results.note,
  })
  tree.addFolder(prefix, folder, skip)
  return [...tree.finish()].flatMap(([path, entry]) =>
    entry.kind === 'file' ? [{ path, content: results.addFile(entry) }] : [],
  )
}
