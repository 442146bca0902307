import { randomBytes } from 'node:crypto'
import { stat, truncate, writeFile } from 'node:fs/promises'
import { FILE_MODE, isFull, isMissing } from './disk.ts'

const RESERVE_BYTES = 1 << 20

/**
 * Space that is given up when the disk is full: deleting is the way out, and it must first write down what it deletes.
 * Noise, since a file system may store zeros as nothing.
 */
export async function keepReserve(path: string): Promise<void> {
  const size = await stat(path).then(
    (found) => found.size,
    (error: unknown) => (isMissing(error) ? 0 : Promise.reject(error)),
  )
  if (size >= RESERVE_BYTES) return
  try {
    await writeFile(path, randomBytes(RESERVE_BYTES), { mode: FILE_MODE })
  } catch (error) {
    if (!isFull(error)) throw error
  }
}

export async function giveUpReserve(path: string): Promise<void> {
  await truncate(path, 0).catch((error: unknown) => {
    if (!isMissing(error)) throw error
  })
}
