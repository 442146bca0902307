import { createHash } from 'node:crypto'
import { open, readFile, stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { ignoreAbsence } from '#adapters/fs/error-code.ts'
import type { ManifestFile } from '#core/deployment/file/manifest.ts'
import type { BlobStore, ByteRange } from '#core/ports/blob-store.ts'

/** A file of the folder, wherever it lies. */
interface FolderFile {
  /** From the folder, with slashes. */
  readonly path: string
  readonly source: string
  readonly size: number
  readonly mode: number
}

/** Finds the files of a folder that a deployment would consist of. */
export type CollectFiles = (folder: string) => Promise<readonly FolderFile[]>

interface Source {
  readonly source: string
  readonly size: number
}

const AT_ONCE = 64

/**
 * Files of a folder in the place of contents of a blob store. A content is not named by its hash, which would mean
 * reading everything, but by what changes with it: whatever is served is asked for by another name after an edit.
 */
export class FolderContents implements Pick<BlobStore, 'read' | 'open'> {
  /** By name. */
  #sources = new Map<string, Source>()
  /** Of the look before, whose answers may be under way. */
  #before = new Map<string, Source>()

  /** A new look at the folder begins. */
  begin(): void {
    this.#before = this.#sources
    this.#sources = new Map()
  }

  /** Files as those of a deployment, from now on readable. */
  async manifest(files: readonly FolderFile[]): Promise<readonly ManifestFile[]> {
    const found: ManifestFile[] = []
    for (let at = 0; at < files.length; at += AT_ONCE)
      for (const file of await Promise.all(files.slice(at, at + AT_ONCE).map(nameContent))) {
        if (file === undefined) continue
        this.#sources.set(file.name, file)
        found.push({ path: file.path, sha1: '', sha256: file.name, size: file.size, mode: file.mode })
      }
    return found
  }

  async read(name: string): Promise<Buffer | undefined> {
    const known = this.#find(name)
    return known === undefined ? undefined : readFile(known.source).catch(ignoreAbsence)
  }

  async open(name: string, range?: ByteRange): Promise<Readable | undefined> {
    const known = this.#find(name)
    const file = known === undefined ? undefined : await open(known.source).catch(ignoreAbsence)
    if (known === undefined || file === undefined) return undefined
    // Never more than was announced, however much has been added since.
    const { start = 0, end = known.size } = range ?? {}
    return file.createReadStream({ start, end: Math.max(start, end - 1) })
  }

  #find(name: string): Source | undefined {
    return this.#sources.get(name) ?? this.#before.get(name)
  }
}

/** Undefined where it has just gone. */
async function nameContent({ path, source, mode }: FolderFile) {
  const found = await stat(source, { bigint: true }).catch(ignoreAbsence)
  if (found === undefined || !found.isFile()) return undefined
  const { size, mtimeNs, ctimeNs, ino } = found
  const name = createHash('sha256').update(`${source}\0${size}\0${mtimeNs}\0${ctimeNs}\0${ino}`).digest('hex')
  return { path, source, mode, size: Number(size), name }
}
