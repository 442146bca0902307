import { createHash, hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { FoundFile } from './collect-files.ts'
import { DeployError } from './deploy-error.ts'
import { forEachAtOnce } from './pool.ts'

export interface HashedFile extends FoundFile {
  readonly sha: string
}

/** Up to this size a file is read whole; beyond it, in pieces. */
export const SMALL = 1024 * 1024
const AT_ONCE = 16

/** The SHA-1 of every file. At most `AT_ONCE` small files, or pieces of large ones, are in memory. */
export async function hashFiles(
  files: readonly FoundFile[],
  onFile: (file: HashedFile) => void,
  signal?: AbortSignal,
): Promise<HashedFile[]> {
  const hashed: HashedFile[] = []
  await forEachAtOnce(files, AT_ONCE, async (file, index) => {
    signal?.throwIfAborted()
    const done = { ...file, ...(await hashFile(file, signal)) }
    hashed[index] = done
    onFile(done)
  })
  return hashed
}

/** The size is that of what was hashed, should the file have changed since it was found. */
export async function hashFile(
  { source, size, path }: FoundFile,
  signal?: AbortSignal,
): Promise<{ readonly sha: string; readonly size: number }> {
  try {
    if (size <= SMALL) {
      const bytes = await readFile(source, { signal })
      return { sha: hash('sha1', bytes), size: bytes.length }
    }
    const sum = createHash('sha1')
    let read = 0
    for await (const chunk of createReadStream(source, { highWaterMark: SMALL / 4, signal })) {
      sum.update(chunk)
      read += chunk.length
    }
    return { sha: sum.digest('hex'), size: read }
  } catch (error) {
    signal?.throwIfAborted()
    throw new DeployError('unreadable', `${path} cannot be read: ${(error as Error).message}.`, {
      cause: error,
    })
  }
}
