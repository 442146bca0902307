import { dirname, join, relative } from 'node:path'
import { matcherOf } from '../globs.ts'
import type { FunctionSource } from '../job.ts'
import { isJunk, type Packing, programTree } from '../packing.ts'
import { type Place, realOf, show, statOf, within } from '../place.ts'
import type { Tree } from '../tree.ts'
import { isOwn } from './compile.ts'
import { includedFiles } from './included-files.ts'
import type { Traced } from './trace.ts'

/** The files of a program before they have their places: by absolute path, from another one or from memory. */
interface TracedFiles {
  readonly files: Map<string, string | Buffer>
  readonly entry: string
}

const isScript = (path: string): boolean => /\.[cm]?js$/.test(path)

/** What was traced, with compiled files in the place of their sources, and the source maps that lie beside own files. */
export function gather(place: Place, { files, compiled }: Traced, entry: string): TracedFiles {
  const { workspace } = place
  const gathered = new Map<string, string | Buffer>()
  for (const file of files) {
    const path = join(workspace, file)
    if (compiled.has(file) || gathered.has(path)) continue
    gathered.set(path, path)
    // No code asks for it, so that it is not found by reading the code.
    if (isScript(path) && isOwn(place, path) && statOf(`${path}.map`)?.isFile())
      gathered.set(`${path}.map`, `${path}.map`)
  }
  for (const { path, code } of compiled.values()) gathered.set(path, Buffer.from(code))
  return { files: gathered, entry: compiled.get(relative(workspace, entry))?.path ?? entry }
}

/** Files that the owner names by globs, relative to the root, and without those that the owner does not want. */
export function addIncluded(
  { place, results }: Packing,
  { files, entry }: TracedFiles,
  root: string,
  { includeFiles = [], excludeFiles = [] }: Pick<FunctionSource, 'includeFiles' | 'excludeFiles'>,
): void {
  const isExcluded = matcherOf(excludeFiles)
  // With a folder goes what is in it.
  const isUnwanted = (path: string): boolean =>
    path !== '.' && (isExcluded(path) || isUnwanted(dirname(path)))
  for (const pattern of includeFiles)
    for (const match of includedFiles(root, pattern)) {
      const path = join(root, match)
      if (match.split('/').some(isJunk) || isUnwanted(match) || files.has(path)) continue
      const real = realOf(path)
      if (real === undefined || statOf(path)?.isDirectory()) continue
      if (within(place.workspace, real)) files.set(path, path)
      else results.note(`${show(match)} links outside of the deployment's files and was skipped`)
    }
  if (excludeFiles.length > 0)
    for (const path of [...files.keys()])
      if (path !== entry && isExcluded(relative(root, path))) files.delete(path)
}

/**
 * The program's folder is the root of the project where everything lies in it, and else the whole workspace with the
 * root in its place, as in a repository of many packages.
 */
export function layOut(
  packing: Packing,
  { files, entry }: TracedFiles,
  root: string,
): { readonly tree: Tree; readonly entry: string } {
  const paths = [...files.keys()]
  const base = paths.every((path) => within(root, path)) ? root : packing.place.workspace
  const tree = programTree(packing)
  for (const [path, source] of files) {
    const at = relative(base, path)
    if (typeof source === 'string') tree.addPath(at, source)
    else tree.addBytes(at, source)
  }
  return { tree, entry: relative(base, entry) }
}
