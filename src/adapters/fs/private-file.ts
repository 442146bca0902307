import { randomBytes } from 'node:crypto'
import { link, mkdir, open, rm } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { codeOf } from './error-code.ts'

/** Writes `data` to a new file that only its owner may read, and returns once it is on disk. */
export async function writePrivateFile(path: string, data: string | Buffer): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(data)
    await file.sync()
  } catch (error) {
    await rm(path, { force: true })
    throw error
  } finally {
    await file.close()
  }
}

/** A name beside `path` that no other process uses. Hidden, so that listings of finished files leave it out. */
export const temporaryName = (path: string): string =>
  resolve(dirname(path), `.${randomBytes(8).toString('hex')}.tmp`)

/** The same unless the file is there already: of several that try at the same moment, the first wins. */
export async function writePrivateFileOnce(path: string, data: string | Buffer): Promise<void> {
  const folder = dirname(path)
  await makePrivateFolder(folder)
  const temporary = temporaryName(path)
  await writePrivateFile(temporary, data)
  try {
    // Unlike a rename, a link never replaces what a process that was faster has made.
    await link(temporary, path)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  } finally {
    await rm(temporary, { force: true })
  }
  await syncFolder(folder)
}

/** Makes the folder where it is missing, closed to other users, with every new entry on disk. */
export async function makePrivateFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 })
  if (first === undefined) return
  const top = dirname(resolve(first))
  let parent = resolve(folder)
  do {
    parent = dirname(parent)
    await syncFolder(parent)
  } while (parent !== top)
}

/** Makes what was linked or renamed into the folder survive a power cut. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open a folder, and needs no such call.
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** The same for what was written into a file without waiting for the disk. */
export async function syncFile(path: string): Promise<void> {
  const handle = await open(path, 'r+')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
