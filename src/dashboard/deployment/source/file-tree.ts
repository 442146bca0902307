/** Files and folders as the API answers them. */
export type TreeEntry =
  | { readonly name: string; readonly type: 'file'; readonly uid: string }
  | { readonly name: string; readonly type: 'directory'; readonly children: readonly TreeEntry[] }

/** A line of the tree as it is shown. */
export interface TreeRow {
  readonly path: string
  readonly name: string
  readonly depth: number
  /** Of a file. */
  readonly uid?: string
  /** Of a folder. */
  readonly isOpen?: boolean
}

const folderFirst = (a: TreeEntry, b: TreeEntry): number =>
  a.type === b.type ? 0 : a.type === 'directory' ? -1 : 1

/** The lines that can be seen: what is in a folder that is closed cannot. */
export function visibleRows(
  tree: readonly TreeEntry[],
  open: ReadonlySet<string>,
  within = '',
  depth = 0,
): readonly TreeRow[] {
  return tree.toSorted(folderFirst).flatMap((entry): readonly TreeRow[] => {
    const path = within + entry.name
    const row = { path, name: entry.name, depth }
    if (entry.type === 'file') return [{ ...row, uid: entry.uid }]
    const isOpen = open.has(path)
    const inside = isOpen ? visibleRows(entry.children, open, `${path}/`, depth + 1) : []
    return [{ ...row, isOpen }, ...inside]
  })
}

/** Every file by its path. */
export const allFiles = (tree: readonly TreeEntry[], within = ''): readonly TreeRow[] =>
  tree.flatMap((entry): readonly TreeRow[] => {
    const path = within + entry.name
    return entry.type === 'file'
      ? [{ path, name: path, depth: 0, uid: entry.uid }]
      : allFiles(entry.children, `${path}/`)
  })

/** The folders around a file: `a/b/c.txt` → `a`, `a/b`. */
export const foldersOf = (path: string): readonly string[] =>
  path
    .split('/')
    .slice(0, -1)
    .map((_, i, parts) => parts.slice(0, i + 1).join('/'))

const FIRST = ['index.html', 'package.json', 'README.md', 'src/index.ts', 'index.js']

/** What is shown before anybody chose: what people look for first. */
export const firstFile = (files: readonly TreeRow[]): TreeRow | undefined =>
  FIRST.map((path) => files.find((file) => file.path === path)).find((file) => file !== undefined) ?? files[0]
