import { randomBytes } from 'node:crypto'
import { open, rename, stat, statfs, truncate, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isMissing, isOutOfSpace } from './error-code.ts'
import { temporaryName } from './private-file.ts'

const CHUNK = 2 ** 20
/** It is only set aside where this many times as much is free. */
const PLENTY = 4

const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    (error: unknown) => (isMissing(error) ? 0 : Promise.reject(error)),
  )

/**
 * Sets space aside that is given up when the disk is full: deleting is the way out, and it must first write down what
 * it deletes. Noise, since a file system may store zeros as nothing. Does nothing where there is little room.
 */
export async function keepReserve(path: string, bytes: number): Promise<void> {
  if ((await sizeOf(path)) >= bytes) return
  const { bavail, bsize } = await statfs(dirname(path))
  if (bavail * bsize < PLENTY * bytes) return
  const temporary = temporaryName(path)
  try {
    const file = await open(temporary, 'wx', 0o600)
    try {
      for (let left = bytes; left > 0; left -= CHUNK) await file.write(randomBytes(Math.min(CHUNK, left)))
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, path)
  } catch (error) {
    await unlink(temporary).catch(() => undefined)
    if (!isOutOfSpace(error)) throw error
  }
}

/** Tells whether there was anything to give up. */
export async function giveUpReserve(path: string): Promise<boolean> {
  if ((await sizeOf(path)) === 0) return false
  await truncate(path, 0).catch((error: unknown) => {
    if (!isMissing(error)) throw error
  })
  return true
}
