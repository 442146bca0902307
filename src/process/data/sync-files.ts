import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolder } from '#adapters/fs/private-file.ts'

/** Makes what is in a folder durable that was written without waiting for the disk. */
export async function syncFiles(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (!entry.isFile()) continue
    const handle = await open(join(folder, entry.name), 'r+')
    try {
      await handle.sync()
    } finally {
      await handle.close()
    }
  }
  await syncFolder(folder)
}
