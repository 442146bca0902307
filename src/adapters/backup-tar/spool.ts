import { randomBytes } from 'node:crypto'
import { type FileHandle, open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { AloftError } from '#contract/errors.ts'
import { type FileLock, tryLockFile } from '../blob-fs/folder/file-lock.ts'
import { makePrivateFolder } from '../fs/private-file.ts'

/** Files that have no names: nothing is left of them, however the process ends. */
export interface Spool {
  /** The rows, as entries of the archive. */
  readonly rows: FileHandle
  /** A line for each content: its name and its size. */
  readonly names: FileHandle
  /** A line for each content that cannot be saved. */
  readonly missing: FileHandle
  /** The checksums of entries, in their order, but for the first ones, which are made last. */
  readonly checksums: FileHandle
  close(): Promise<void>
}

/** What the databases hold is first written here, so that no slow reader keeps their transactions open. */
export async function openSpool(folder: string): Promise<Spool> {
  await makePrivateFolder(folder)
  const lock = tryLockFile(join(folder, 'lock'))
  if (!lock)
    throw new AloftError('conflict', 'Another backup is running on this machine. Wait until it is done.')
  const handles: FileHandle[] = []
  try {
    // What a process left that died between the two steps below.
    for (const file of await readdir(folder))
      if (file.endsWith('.spool')) await rm(join(folder, file), { force: true })
    for (let n = 0; n < 4; n++) handles.push(await openNameless(folder))
    const [rows, names, missing, checksums] = handles as [FileHandle, FileHandle, FileHandle, FileHandle]
    return { rows, names, missing, checksums, close: () => closeAll(lock, handles) }
  } catch (error) {
    await closeAll(lock, handles)
    throw error
  }
}

async function openNameless(folder: string): Promise<FileHandle> {
  const path = join(folder, `${randomBytes(8).toString('hex')}.spool`)
  const handle = await open(path, 'wx+', 0o600)
  await rm(path)
  return handle
}

async function closeAll(lock: FileLock, handles: readonly FileHandle[]): Promise<void> {
  await Promise.allSettled(handles.map((handle) => handle.close()))
  lock.release()
}
