import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFile, syncFolder } from '#adapters/fs/private-file.ts'

/** Makes what is in a folder durable that was written without waiting for the disk. */
export async function syncFiles(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isFile()) await syncFile(join(folder, entry.name))
  }
  await syncFolder(folder)
}
