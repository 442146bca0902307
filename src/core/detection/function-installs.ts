import type { Install } from './plan.ts'
import { folderOf, joined, type SourceTree } from './source-tree.ts'

/** The folders of the nearest package.json of each file, as its imports are found from there; the topmost first. */
export function packageFolders(tree: SourceTree, files: readonly string[]): readonly string[] {
  const found = new Set<string>()
  for (const file of files)
    for (let folder = folderOf(file); ; folder = folderOf(folder)) {
      if (tree.has(joined(folder, 'package.json'))) found.add(folder)
      if (tree.has(joined(folder, 'package.json')) || folder === '') break
    }
  return [...found].sort((a, b) => a.length - b.length)
}

/** What functions need of packages, in a folder of the source. */
export const installsFor = (tree: SourceTree, root: string, files: readonly string[]): readonly Install[] =>
  packageFolders(tree, files).map((folder) => ({ folder: joined(root, folder), command: null }))
