import { NEVER } from '#client/deploy/left-out.ts'
import type { MemoryFile } from '#client/deploy/memory-file.ts'
import { readZip } from './read-zip.ts'
import { MAX_FOUND, type Selection, SelectionError, select, tooMany, withoutTopFolder } from './selection.ts'

const MAX_DEPTH = 100

const fromFile = (path: string, file: File): MemoryFile => ({
  path,
  size: file.size,
  bytes: async () => new Uint8Array(await file.arrayBuffer()),
})

const isZip = (name: string): boolean => /\.zip$/i.test(name)

/** What was dropped. It has to be taken while the drop is told, and can be read afterwards. */
export function takeDrop(data: DataTransfer): () => Promise<Selection> {
  const entries = [...data.items].flatMap((item) => item.webkitGetAsEntry() ?? [])
  const files = [...data.files]
  return async () => {
    const [first] = entries
    if (first === undefined) return selectFiles(files)
    if (entries.length === 1 && first.isFile) return selectFiles([await fileOf(first as FileSystemFileEntry)])
    const found: MemoryFile[] = []
    if (entries.length === 1 && first.isDirectory) await walk(first as FileSystemDirectoryEntry, '', found, 0)
    else for (const entry of entries) await add(entry, entry.name, found, 0)
    return select(entries.length === 1 ? first.name : '', found)
  }
}

/** What was chosen: a zip, the files of a folder, or files by themselves. */
export async function selectFiles(files: readonly File[]): Promise<Selection> {
  const [first] = files
  if (first === undefined) throw new SelectionError('The folder is empty.')
  if (files.length === 1 && isZip(first.name)) {
    const inside = withoutTopFolder(await readZip(first))
    return select(inside.top || first.name.replace(/\.zip$/i, ''), inside.files)
  }
  if (files.length > MAX_FOUND) throw tooMany()
  const found = files.map((file) => fromFile(file.webkitRelativePath || file.name, file))
  const inside = first.webkitRelativePath === '' ? { top: '', files: found } : withoutTopFolder(found)
  return select(inside.top, inside.files)
}

const fileOf = (entry: FileSystemFileEntry): Promise<File> =>
  new Promise((resolve, reject) => entry.file(resolve, reject))

const nextOf = (reader: FileSystemDirectoryReader): Promise<readonly FileSystemEntry[]> =>
  new Promise((resolve, reject) => reader.readEntries(resolve, reject))

async function add(entry: FileSystemEntry, path: string, found: MemoryFile[], depth: number): Promise<void> {
  if (NEVER.has(entry.name)) return
  if (found.length >= MAX_FOUND) throw tooMany()
  if (entry.isFile) found.push(fromFile(path, await fileOf(entry as FileSystemFileEntry)))
  else if (entry.isDirectory) await walk(entry as FileSystemDirectoryEntry, `${path}/`, found, depth + 1)
}

async function walk(
  folder: FileSystemDirectoryEntry,
  prefix: string,
  found: MemoryFile[],
  depth: number,
): Promise<void> {
  if (depth > MAX_DEPTH) throw new SelectionError(`${prefix.slice(0, 60)}… is nested too deep.`)
  const reader = folder.createReader()
  // A folder is handed over in pieces; one without anything in it is its end.
  for (let entries = await nextOf(reader); entries.length > 0; entries = await nextOf(reader))
    for (const entry of entries) await add(entry, prefix + entry.name, found, depth)
}
