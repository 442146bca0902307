import type { SiteFile } from '#core/site/site.ts'
import { specialPathOf } from '../request/request-path.ts'

export interface FolderEntry {
  /** Of a folder, with a slash at the end. */
  readonly name: string
  /** Undefined for a folder. */
  readonly size: number | undefined
}

/** What is in one folder. */
export interface Folder {
  /** The names on the way to it; none for the root. */
  readonly segments: readonly string[]
  /** Folders first, then by name. */
  readonly entries: readonly FolderEntry[]
}

/** The folders of a site, by decoded path, with or without a slash at the end. */
export interface Folders {
  has(path: string): boolean
  get(path: string): Folder | undefined
}

export function createFolders(files: ReadonlyMap<string, SiteFile>): Folders {
  const contents = new Map<string, Map<string, FolderEntry>>()
  for (const [name, { size }] of files) {
    let end = name.lastIndexOf('/')
    let entry: FolderEntry = { name: name.slice(end + 1), size }
    for (;;) {
      const parent = end < 0 ? '' : name.slice(0, end)
      const known = contents.get(parent)
      known?.set(entry.name, entry)
      if (known !== undefined) break
      contents.set(parent, new Map([[entry.name, entry]]))
      if (parent === '') break
      end = parent.lastIndexOf('/')
      entry = { name: `${parent.slice(end + 1)}/`, size: undefined }
    }
  }
  const names = new Map([...contents.keys()].map((name) => [pathOf(name), name]))

  return {
    has: (path) => names.has(withoutSlash(path)),
    get(path) {
      const name = names.get(withoutSlash(path))
      const entries = name === undefined ? undefined : contents.get(name)
      if (name === undefined || entries === undefined) return undefined
      return {
        segments: name === '' ? [] : name.split('/'),
        entries: [...entries.values()].sort(byKindAndName),
      }
    },
  }
}

const pathOf = (name: string): string => (name === '' ? '' : (specialPathOf(name) ?? `/${name}`))

const withoutSlash = (path: string): string => (path.endsWith('/') ? path.slice(0, -1) : path)

function byKindAndName(a: FolderEntry, b: FolderEntry): number {
  const [aIsFile, bIsFile] = [a.size !== undefined, b.size !== undefined]
  if (aIsFile !== bIsFile) return aIsFile ? 1 : -1
  return a.name < b.name ? -1 : 1
}
