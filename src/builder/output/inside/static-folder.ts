import { matchesGlob } from 'node:path'
import { PackFault } from './fault.ts'
import type { IndexFile, StaticTask } from './job.ts'
import { isJunk, type Packed, type Packing } from './packing.ts'
import { locate, show, statOf } from './place.ts'
import { type Skip, Tree } from './tree.ts'

/** A folder whose files are served as they are. */
export function packStatic(packing: Packing, task: StaticTask): Packed {
  const { place } = packing
  const folder = locate(place, place.workspace, task.folder)
  if (folder === undefined || !statOf(folder)?.isDirectory())
    throw new PackFault('missing_output', `There is no folder ${show(task.folder)} after the build`)
  const skip: Skip = (path, name) =>
    name === 'node_modules' || isJunk(name) || task.exclude.some((glob) => matchesGlob(path, glob))
  return { files: addFiles(packing, folder, task.prefix, skip), functions: [], programs: [] }
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
