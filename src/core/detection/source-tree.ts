/** A file of a deployment before anybody has asked for its content. */
export interface SourceFile {
  readonly path: string
  readonly size: number
}

/** The files of a deployment as they were uploaded, seen from one folder. Nothing that a build wrote is in it. */
export interface SourceTree<File extends SourceFile = SourceFile> {
  /** Relative to the folder. */
  readonly paths: readonly string[]
  has(path: string): boolean
  hasFolder(path: string): boolean
  file(path: string): File | undefined
  /** Undefined where there is none. So is one of more than a megabyte: that is no configuration. */
  text(path: string): Promise<string | undefined>
  /** The same from a folder below; an empty one is this. */
  within(folder: string): SourceTree<File>
}

export type ReadContent<File extends SourceFile = SourceFile> = (file: File) => Promise<Buffer | undefined>

export const MAX_TEXT_BYTES = 1024 * 1024

/** To look through all paths takes a tenth of what it takes to know all folders, and most ask for two or three of them. */
const FEW_LOOKS = 5

/** As a map has them, or something like it. */
export interface FilesByPath<File> {
  has(path: string): boolean
  get(path: string): File | undefined
  keys(): Iterable<string>
  entries(): Iterable<readonly [string, File]>
}

/** In whichever form somebody has them. */
export type SourceFiles<File extends SourceFile = SourceFile> = readonly File[] | FilesByPath<File>

export function sourceTree<File extends SourceFile>(
  files: SourceFiles<File>,
  read: ReadContent<File>,
): SourceTree<File> {
  const texts = new Map<File, Promise<string | undefined>>()
  const readText = (file: File): Promise<string | undefined> => {
    const known = texts.get(file)
    if (known) return known
    const text = read(file).then((bytes) => bytes?.toString('utf8'))
    texts.set(file, text)
    return text
  }

  const view = (entries: FilesByPath<File>): SourceTree<File> => {
    let folders: ReadonlySet<string> | undefined
    let looks = 0
    const tree: SourceTree<File> = {
      paths: [...entries.keys()],
      has: (path) => entries.has(path),
      hasFolder: (path) => {
        if (path === '') return true
        if (folders === undefined && looks++ < FEW_LOOKS)
          return tree.paths.some((each) => each.startsWith(path) && each[path.length] === '/')
        folders ??= foldersOf(tree.paths)
        return folders.has(path)
      },
      file: (path) => entries.get(path),
      text: async (path) => {
        const file = entries.get(path)
        return file && file.size <= MAX_TEXT_BYTES ? readText(file) : undefined
      },
      within: (folder) =>
        folder === ''
          ? tree
          : view(
              new Map(
                [...entries.entries()].flatMap(([path, file]) =>
                  path.startsWith(`${folder}/`) ? [[path.slice(folder.length + 1), file] as const] : [],
                ),
              ),
            ),
    }
    return tree
  }
  return view('get' in files ? files : new Map(files.map((file) => [file.path, file])))
}

function foldersOf(paths: Iterable<string>): ReadonlySet<string> {
  const folders = new Set<string>()
  for (const path of paths)
    for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
      const folder = path.slice(0, slash)
      if (folders.has(folder)) break
      folders.add(folder)
    }
  return folders
}

/** Joins parts of a path with a slash; empty ones do not count. */
export const joined = (folder: string, path: string): string =>
  folder === '' ? path : path === '' ? folder : `${folder}/${path}`

/** The folder a path is in; empty for the topmost. */
export const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')))

export const baseOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/** A setting that names a folder below another, such as `./dist/` or `apps/web`; undefined where it leaves it. */
export function readFolder(text: string): string | undefined {
  const parts = text
    .replaceAll('\\', '/')
    .split('/')
    .filter((part) => part !== '' && part !== '.')
  if (text.startsWith('/') || parts.includes('..') || /\p{Cc}/u.test(text)) return undefined
  return parts.join('/')
}
