import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { showLimit } from '#contract/amounts.ts'
import { BadIndex } from './check-index.ts'

/** Neither through a link nor waiting for the other end of a pipe, as whoever wrote the folder may have left some. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/** A regular file of a folder that the code of users may have written; the caller closes it. */
export async function openResult(
  folder: string,
  name: string,
  maxBytes: number,
): Promise<{ readonly file: FileHandle; readonly size: number }> {
  const file = await open(join(folder, name), FLAGS).catch((error: NodeJS.ErrnoException) => {
    throw new BadIndex(`${name} cannot be opened: ${error.code}`)
  })
  try {
    const stats = await file.stat()
    if (!stats.isFile()) throw new BadIndex(`${name} is not a file`)
    if (stats.size > maxBytes) throw new BadIndex(`${name} has more than ${showLimit(maxBytes)}`)
    return { file, size: stats.size }
  } catch (error) {
    await file.close()
    throw error
  }
}

/** All of it, and never more than it had when it was opened. */
export async function readResult(folder: string, name: string, maxBytes: number): Promise<Buffer> {
  const { file, size } = await openResult(folder, name, maxBytes)
  try {
    const bytes = Buffer.alloc(size)
    let length = 0
    while (length < size) {
      const { bytesRead } = await file.read(bytes, length, size - length, length)
      if (bytesRead === 0) break
      length += bytesRead
    }
    if (length < size) throw new BadIndex(`${name} ended early`)
    return bytes
  } finally {
    await file.close()
  }
}
