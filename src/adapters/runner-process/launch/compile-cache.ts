import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { newId } from '#contract/ids.ts'
import type { LoadedProgram } from '#core/instance/instance.ts'

/** What Node compiled of a program, kept from one instance to the next. */
interface CompileCacheState {
  /** Node's version, the machine, and the user inside. */
  readonly tag: string
  readonly files: ReadonlyMap<string, Buffer>
}

/** Node keeps a folder for each version of itself, with a file for each of the program's. */
const TAG = /^v[0-9a-z.-]{1,80}$/
const FILE = /^[0-9a-f]{1,64}$/
export const CACHE_BYTES = 32 * 2 ** 20
const MOST_FILES = 4000
/** Below it, reading it costs what it saves. */
const LEAST_BYTES = 32 * 1024
const NO_FOLLOW = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/**
 * Of this program in this project: a program can put there what it likes, and the same code in another's hands must
 * not find it.
 */
const keyOf = ({ program, ownerId, projectId }: LoadedProgram): string =>
  createHash('sha256')
    .update(JSON.stringify([program.id, ownerId, projectId]))
    .digest('hex')

export const cacheFolder = (caches: string, loaded: LoadedProgram): string =>
  join(caches, `${loaded.program.archive.sha256}-${keyOf(loaded).slice(0, 32)}`)

/** The archive of the program that a folder of the caches is about. */
export const archiveOf = (name: string): string => name.split('-')[0] ?? ''

/** Only the last part of the path is in the hands of user code, and no link is followed there. */
async function within(handle: FileHandle, name: string, flags = 0): Promise<FileHandle> {
  return open(`/proc/self/fd/${handle.fd}/${name}`, NO_FOLLOW | flags)
}

async function readBounded(handle: FileHandle, size: number): Promise<Buffer> {
  const bytes = Buffer.alloc(size)
  const { bytesRead } = await handle.read(bytes, 0, size, 0)
  return bytes.subarray(0, bytesRead)
}

/**
 * Takes what an instance's Node has left in a folder that user code writes to as it likes; not what is known already.
 */
export async function readCache(folder: string, known?: string): Promise<CompileCacheState | undefined> {
  // The platform's own, and perhaps a link of its own to where it really is.
  const root = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY)
  try {
    const [tag] = (await readdir(`/proc/self/fd/${root.fd}`)).filter(
      (name) => TAG.test(name) && name !== known,
    )
    if (tag === undefined) return undefined
    const inner = await within(root, tag, constants.O_DIRECTORY)
    try {
      const names = (await readdir(`/proc/self/fd/${inner.fd}`)).filter((name) => FILE.test(name))
      const files = new Map<string, Buffer>()
      let bytes = 0
      for (const name of names.slice(0, MOST_FILES)) {
        const file = await within(inner, name)
        try {
          const stats = await file.stat()
          bytes += stats.size
          if (!stats.isFile() || bytes > CACHE_BYTES) return undefined
          files.set(name, await readBounded(file, stats.size))
        } finally {
          await file.close()
        }
      }
      return bytes < LEAST_BYTES ? undefined : { tag, files }
    } finally {
      await inner.close()
    }
  } finally {
    await root.close()
  }
}

async function write(folder: string, { tag, files }: CompileCacheState): Promise<void> {
  await mkdir(join(folder, tag), { recursive: true, mode: 0o755 })
  await Promise.all(
    [...files].map(([name, content]) => writeFile(join(folder, tag, name), content, { mode: 0o644 })),
  )
}

/** Keeps it whole, in place of what there was. */
export async function keepCache(folder: string, kept: CompileCacheState): Promise<void> {
  const temporary = `${folder}-${newId.deploymentHash()}`
  try {
    await write(temporary, kept)
    await rm(folder, { recursive: true, force: true })
    await rename(temporary, folder)
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
}

/** Gives an instance that has not yet loaded its code what is kept for it. */
export const layCache = (kept: CompileCacheState, into: string): Promise<void> => write(into, kept)

export type { CompileCacheState }
