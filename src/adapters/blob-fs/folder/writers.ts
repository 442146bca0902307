import { randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { isMissing, removeIfThere } from './disk.ts'
import { lockFile, tryLockFile } from './file-lock.ts'
import { layoutOf } from './layout.ts'

/** One open store. Its id marks the packs and temporary files that it alone may touch while it lives. */
export interface Writer {
  readonly id: string
  leave(): Promise<void>
}

const SUFFIX = '.lock'

/** These two run while the opening lock is held, or a writer could be taken for dead before it has its lock. */
export function enterWriter(folder: string): Writer {
  const id = randomBytes(8).toString('hex')
  const path = join(folder, `${id}${SUFFIX}`)
  const lock = tryLockFile(path)
  if (lock === undefined) throw new Error(`The lock of a new writer is taken: ${path}`)
  return {
    id,
    leave: async () => {
      lock.release()
      // On a disk that has become read-only it stays, and the next one to open the store takes it for dead.
      await removeIfThere(path).catch(() => {})
    },
  }
}

/** The ids of the living; what the dead left here is removed. */
export async function findLiveWriters(folder: string): Promise<ReadonlySet<string>> {
  const live = new Set<string>()
  for (const file of await readdir(folder)) {
    if (!file.endsWith(SUFFIX)) continue
    const lock = tryLockFile(join(folder, file))
    if (lock === undefined) live.add(file.slice(0, -SUFFIX.length))
    else {
      await removeIfThere(join(folder, file))
      lock.release()
    }
  }
  return live
}

/** Whether any process has the store in this folder open. */
export async function hasLiveWriters(root: string): Promise<boolean> {
  const { writers, openingLock } = layoutOf(root)
  try {
    const opening = await lockFile(openingLock)
    try {
      return (await findLiveWriters(writers)).size > 0
    } finally {
      opening.release()
    }
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}
