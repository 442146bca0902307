import { join } from 'node:path'
import { hasLiveWriters } from '#adapters/blob-fs/folder/writers.ts'
import { isAnswered } from '#adapters/fs/socket-file.ts'
import { STORES } from '../compose/content/contents.ts'
import { supervisorSocket } from '../compose/runner-socket.ts'

/** Whether a server runs with this folder. */
export const isInUse = async (dataDir: string): Promise<boolean> =>
  (await isAnswered(supervisorSocket(dataDir))) || hasOpenStores(dataDir)

/** Whether any process has contents in this folder open. */
export async function hasOpenStores(dataDir: string): Promise<boolean> {
  const found = await Promise.all(STORES.map((name) => hasLiveWriters(join(dataDir, name))))
  return found.includes(true)
}
