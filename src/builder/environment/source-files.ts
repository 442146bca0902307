import { createWriteStream } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { ManifestFile } from '#core/deployment/file/manifest.ts'
import type { BlobStore } from '#core/ports/blob-store.ts'
import { BuildFailure } from '#core/ports/builder.ts'

/** Read whole up to here, and streamed above. */
const SMALL = 2 ** 20
const AT_ONCE = 16

const SAFE = /^[^/\0]+(?:\/[^/\0]+)*$/

/** Paths were checked when the deployment was made; here they become paths of the machine. */
export const isPlainPath = (path: string): boolean =>
  SAFE.test(path) && !path.split('/').some((part) => part === '.' || part === '..')

/** A folder below the source's root as it is joined with others; one whose name begins with a dot keeps it. */
export const relativeFolder = (folder: string): string =>
  folder
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/')

interface SourceParts {
  readonly files: readonly ManifestFile[]
  readonly folder: string
  readonly blobs: Pick<BlobStore, 'read' | 'open'>
  readonly signal: AbortSignal
}

/** Lays out a deployment's files in a new folder. */
export async function writeSource({ files, folder, blobs, signal }: SourceParts): Promise<void> {
  for (const { path } of files)
    if (!isPlainPath(path)) throw new BuildFailure('bad_file', `${JSON.stringify(path)} is not a valid path`)
  await mkdir(folder, { mode: 0o755 })
  try {
    for (const path of foldersOf(files)) await mkdir(join(folder, path), { mode: 0o755 })
    const todo = files.values()
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (const file of todo) {
          signal.throwIfAborted()
          await writeOne(file, join(folder, file.path), blobs)
        }
      }),
    )
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENAMETOOLONG' || code === 'EEXIST' || code === 'ENOTDIR')
      throw new BuildFailure(
        'bad_file',
        'The names of two files collide, or one is too long for this machine',
      )
    throw error
  }
}

/** Every folder that the files need, parents before children. */
function foldersOf(files: readonly ManifestFile[]): readonly string[] {
  const folders = new Set<string>()
  for (const { path } of files)
    for (let slash = path.indexOf('/'); slash !== -1; slash = path.indexOf('/', slash + 1))
      folders.add(path.slice(0, slash))
  return [...folders].sort()
}

async function writeOne(file: ManifestFile, path: string, blobs: SourceParts['blobs']): Promise<void> {
  const mode = file.mode & 0o111 ? 0o755 : 0o644
  const notStored = () => new Error(`The content of ${JSON.stringify(file.path)} is not stored`)
  if (file.size <= SMALL) {
    const bytes = await blobs.read(file.sha256)
    if (!bytes) throw notStored()
    await writeFile(path, bytes, { flag: 'wx', mode })
    return
  }
  const stream = await blobs.open(file.sha256)
  if (!stream) throw notStored()
  await pipeline(stream, createWriteStream(path, { flags: 'wx', mode }))
}
