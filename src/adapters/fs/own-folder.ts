import { chmod, lstat, mkdir } from 'node:fs/promises'

/**
 * A folder for the platform alone, in a place where every user of the machine may make one: others could have put theirs there
 * first, or a link. One of our own that is open to others is closed to them.
 */
export async function makeOwnFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const found = await lstat(folder)
  if (!found.isDirectory() || (process.getuid && found.uid !== process.getuid()))
    throw new Error(`${folder} must belong to the platform alone`)
  if ((found.mode & 0o077) !== 0) await chmod(folder, 0o700)
}
