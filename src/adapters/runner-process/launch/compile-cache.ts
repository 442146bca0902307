import { constants } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

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

/** Writes it to a folder of the platform's, or gives it to an instance that has not yet loaded its code. */
export async function layCache({ tag, files }: CompileCacheState, into: string): Promise<void> {
  await mkdir(join(into, tag), { recursive: true, mode: 0o755 })
  await Promise.all(
    [...files].map(([name, content]) => writeFile(join(into, tag, name), content, { mode: 0o644 })),
  )
}

export type { CompileCacheState }
